"""The Alerts page's parts: what fires, what to do about it, and who has it held back."""
