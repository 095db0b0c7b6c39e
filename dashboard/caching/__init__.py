"""The parts of the page Cache."""
