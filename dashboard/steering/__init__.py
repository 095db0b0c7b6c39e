"""The parts of the Control page: a draft of the change, its form, its review, and how far it got."""
