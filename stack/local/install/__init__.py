"""Everything the one-machine stack needs besides this project, brought to the checkout without root."""
