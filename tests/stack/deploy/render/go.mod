module kvdeck.render
