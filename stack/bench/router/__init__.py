"""`kvdeck bench router`: what routing a request costs, ours and others' in one run."""
