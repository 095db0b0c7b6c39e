"""The Doctor page's parts: what was found of the fleet's silent preconditions."""
