"""The components of the one-machine stack: how each is started, one file a component."""
