"""With what a strategy begins that goes by where prompts were sent, or by where their KV lies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from stack.cache.followed import Knowledge
from stack.control.members import Member
from stack.fleet.engine import State
from stack.strategies.base import NEEDS_PLACEMENT

_SENT = "prefix_aware"
_GOOD = frozenset({Knowledge.WHOLE.value, Knowledge.PARTIAL.value})
_BEARING = frozenset({State.READY, State.DRAINED})  # the others hold nothing yet, or get no requests any more


def warmth(strategy: str, fallback: str, pool: Sequence[Member]) -> str:
    """One sentence on what `strategy` knows from its first request on; empty where there is nothing to know.

    `pool` are the engines it will choose among, `fallback` the strategy that decides where nothing is known of them.
    """
    if strategy == _SENT:
        return "It begins with what each router has sent since its start, whatever was in force; one that just started begins cold."
    if strategy != NEEDS_PLACEMENT:
        return ""
    by: defaultdict[str | None, list[str]] = defaultdict(list)
    for member in pool:
        if member.state in _BEARING:
            by[member.placement].append(member.name)
    if set(by) <= {None}:
        return "Whether it begins warm is unknown: no router tells what is known of the engines' caches."
    if not _GOOD & set(by):
        why = ", ".join(sorted(reason for reason in by if reason is not None))
        return f"It begins cold: of no engine is it known what it holds ({why}), so {fallback} decides until it is."
    doubts = [
        *(f"what {', '.join(names)} held before is not known" for state, names in by.items() if state == Knowledge.PARTIAL),
        *(f"of {', '.join(names)} nothing is known ({state or 'not told'})" for state, names in by.items() if state not in _GOOD),
    ]
    return f"It begins partly warm: {'; '.join(doubts)}." if doubts else "It begins warm: what all its engines hold is known."
