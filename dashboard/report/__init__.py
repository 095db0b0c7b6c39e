"""The Overview of a time as one file: `python -m dashboard.report`, which `kvdeck report` starts."""
