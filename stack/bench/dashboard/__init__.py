"""`kvdeck bench dashboard`: how long people wait for the dashboard, and what their open pages cost."""
