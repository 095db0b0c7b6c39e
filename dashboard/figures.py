"""One number as a page shows it, with what it means; what did not happen has no number."""

from __future__ import annotations

from dataclasses import dataclass

from stack.metrics.queries import Query


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit; `beside` is a second one that belongs to it, `query` what was asked of Prometheus for both."""

    title: str
    value: str
    help: str
    beside: str | None = None
    query: Query | None = None
