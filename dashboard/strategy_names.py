"""The routing strategies in the operator's words. The dashboard knows them by name alone: they run in the router."""

STRATEGIES = {
    "round_robin": "Each ready engine in turn.",
    "session": "A session stays on its engine; requests without a session key go to the least loaded one.",
    "prefix_aware": "The engine that was sent the longest matching prefix, unless it is too busy.",
    "kv_aware": "The engine whose first token should come first: its queue, what it has to compute, what it has to load.",
}
NEEDS_PLACEMENT = "kv_aware"  # another one stands in for it where it cannot tell what is cached


def explained(name: str) -> str:
    """What `name` does; a strategy this table does not know is said to be one."""
    return STRATEGIES.get(name, "A strategy this dashboard has no words for.")


def choices(*in_force: str | None) -> list[str]:
    """Every strategy to choose from: the known ones, and whatever is in force."""
    return list(dict.fromkeys([*STRATEGIES, *filter(None, in_force)]))
