"""`kvdeck ...`: parsing only, one file a command."""
