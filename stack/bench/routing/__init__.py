"""The quality of routing decisions, measured in virtual time on the router's and the emulator's own parts."""
