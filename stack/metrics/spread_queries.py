"""The middle and the tail of a latency in one question, told apart by the label `quantile`."""

from __future__ import annotations

from collections.abc import Callable

from stack.metrics import queries
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, named
from stack.metrics.queries import WINDOW, Query

QUANTILES = {"p50": 0.5, "p95": 0.95}


def time_to_first_token(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _spread(lambda q: queries.time_to_first_token(q, where, window))


def inter_token_latency(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _spread(lambda q: queries.inter_token_latency(q, where, window))


def _spread(quantile: Callable[[float], Query]) -> Query:
    parts = {name: quantile(q) for name, q in QUANTILES.items()}
    expr = " or ".join(named(query.expr, Label.QUANTILE, name) for name, query in parts.items())
    tail = parts["p95"]
    return Query(expr, tail.unit, (*tail.by, Label.QUANTILE), f"{tail.help} Half of them: p50.")
