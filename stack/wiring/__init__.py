"""Composition roots, one file a process: the only modules of the stack that name concrete classes."""
