"""Parts of the page of pools and engines."""
