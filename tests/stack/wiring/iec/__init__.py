"""`kvdeck iec`."""
