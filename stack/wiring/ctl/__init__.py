"""What the sub-commands of `kvdeck ctl` do."""
