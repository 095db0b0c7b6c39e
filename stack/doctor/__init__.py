"""The silent preconditions of KV-aware routing, cache tiers and DPD: what was found out about a fleet, and what it means."""
