"""A small API server for tests: it behaves as the recordings of a real one show, held to them by test_stand_in.py."""
