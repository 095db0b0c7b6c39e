"""The control plane's pure half: desired state, commands, decisions, effects, audit records."""
