"""The one-machine stack: what is installed, which processes run, who watches them."""
