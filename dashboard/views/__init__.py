"""Pages, one file each; each holds a function `page()` that draws it."""
