"""The fleet as the router sees it: engines, their state machine, immutable snapshots. Pure."""
