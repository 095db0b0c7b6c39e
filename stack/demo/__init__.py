"""`kvdeck demo`: one prompt from every tier and over DPD, each time to first token with the metric that proves it."""
