"""The questions about how evenly a pool's engines are used. Of a large pool the busiest are told, beside the mean and the least."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, aggregate, named, rate, selector, total
from stack.metrics.queries import Query

BUSIEST = 8
"""So many engines of a pool are told of."""
HOT_WAITING, IDLE_REQUESTS = 4.0, 1.0
"""The bounds of the alert KvdeckHotspot: more requests wait at one engine, and another of its pool has fewer than this."""
SPAN = "10m"
"""That alert looks at so long."""
WAITING, HELD, MEAN, LEAST = "waiting", "held", "mean", "least"
_POOL = (Label.MODEL_NAME, Label.POOL)
_ENGINE = (*_POOL, Label.REPLICA)


def pressure(where: Where = EVERYWHERE) -> Query:
    """By `state`: what the busiest engines hold, what of it waits, the mean and the least of the pool's engines."""
    held = _requests(where)
    busiest = _busiest(held)
    waiting = _requests({Label.STATE: "waiting", **where})
    parts = {
        HELD: busiest,
        WAITING: f"({waiting} and on ({_words(_ENGINE)}) {busiest})",
        MEAN: aggregate("avg", held, _POOL),
        LEAST: aggregate("min", held, _POOL),
    }
    expr = " or ".join(named(part, Label.STATE, name) for name, part in parts.items())
    text = f"Requests running in and waiting for each pool's busiest engines, mean of {SPAN}, beside the pool's mean and least."
    return Query(expr, "requests", (*_ENGINE, Label.STATE), text)


def work(where: Where = EVERYWHERE) -> Query:
    """By `state`: prompt tokens a second of the busiest engines, and the mean of the pool's engines."""
    tokens = rate(catalog.PROMPT_TOKENS, _ENGINE, where, SPAN)
    parts = {
        HELD: f"({tokens} and on ({_words(_ENGINE)}) {_busiest(_requests(where))})",
        MEAN: aggregate("avg", tokens, _POOL),
    }
    expr = " or ".join(named(part, Label.STATE, name) for name, part in parts.items())
    text = f"Prompt tokens a second that each pool's busiest engines were sent, mean of {SPAN}, beside the mean of the pool."
    return Query(expr, "tokens/s", (*_ENGINE, Label.STATE), text)


def _requests(where: Where) -> str:
    return total(f"avg_over_time({selector(catalog.ENGINE_REQUESTS, where, window=SPAN)})", _ENGINE)


def _busiest(held: str) -> str:
    return f"topk by ({_words(_POOL)}) ({BUSIEST}, {held})"


def _words(labels: tuple[Label, ...]) -> str:
    return ", ".join((*KEPT, *labels))
