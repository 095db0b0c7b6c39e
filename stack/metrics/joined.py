"""Several questions put as one: a page may ask for few things at a time, and each request costs more than an `or`."""

from __future__ import annotations

from collections.abc import Mapping

from stack.metrics.family import Label
from stack.metrics.promql import named
from stack.metrics.queries import Query


def joined(parts: Mapping[str, Query]) -> Query:
    """All of `parts`, told apart by the label `figure`, which is a part's name."""
    expr = " or ".join(named(query.expr, Label.FIGURE, name) for name, query in parts.items())
    return Query(expr, "", (Label.FIGURE,), " ".join(query.help for query in parts.values()))
