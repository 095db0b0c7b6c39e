"""The parts of the Routing page: which way requests went and why, how good that was, and who has more than its share."""
