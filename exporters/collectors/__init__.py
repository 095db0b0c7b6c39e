"""Collectors, one file each; importing the package registers them all."""
