"""Where the prompt tokens of both sides of a change came from, tier by tier: what Prometheus knows and control does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from stack.control.report import Report, Side
from stack.metrics import queries
from stack.metrics.family import Label
from stack.model.tier import Source

SPAN_LEAST = 60.0  # seconds: four scrapes at Prometheus' usual pace

Ask = Callable[[str, float], list[tuple[Mapping[str, str], float]]]


class TierShare(msgspec.Struct, frozen=True, kw_only=True):
    """The share of prompt tokens whose KV came from `source`, of the whole fleet serving `model`; None where that is not known."""

    model: str
    source: Source
    before: float | None
    after: float | None


def tier_shares(report: Report, ask: Ask) -> Iterator[TierShare]:
    """Of every source, in the order of Source. `ask` evaluates an expression at a time (Unix seconds): labels and values."""
    before, after = _shares(report.model, report.before, ask), _shares(report.model, report.after, ask)
    for source in Source:
        yield TierShare(model=report.model, source=source, before=before.get(source), after=after.get(source))


def _shares(model: str, side: Side, ask: Ask) -> Mapping[str, float]:
    """By source; nothing where the side is too short for a rate, or where several fleets answer and none can be told to be this."""
    if side.since is None or side.until is None or side.until - side.since < SPAN_LEAST:
        return {}
    query = queries.waterfall_shares({Label.MODEL_NAME: model}, f"{side.until - side.since:.0f}s")
    found = ask(query.expr, side.until)
    shares = {labels[Label.SOURCE]: value for labels, value in found}
    return shares if len(shares) == len(found) else {}
