"""Who comes in: people sign in with their own control token, or nobody but this machine is let in."""
