"""What a change came to, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stack.api.report_words import figure, money, name, settling, share, verdict
from stack.api.schema import ReportView
from stack.api.table import clock, table, written
from stack.api.tier_shares import TierShare
from stack.control.enough import enough
from stack.control.estimate import CONFIDENCE
from stack.control.report import Report, Row, Side, Verdict


class TieredView(ReportView, frozen=True, kw_only=True):
    """A change's reports, and what Prometheus knows of the tiers."""

    tiers: tuple[TierShare, ...]


def report(view: ReportView) -> Iterator[RenderableType]:
    """`kvdeck ctl report`."""
    for one in view.reports:
        yield Text(_heading(one))
        yield from (Text(f"- {it.field}: {written(it.before)} -> {written(it.after)}") for it in one.changes)
        columns = ("", f"before: {_side(one.before)}", f"after: {_side(one.after)}", "difference", "")
        yield table(f"before and after, {CONFIDENCE:.0%} intervals", columns, map(_row, one.rows))
        yield Text(f"cost of a million tokens: {money(one.cost_before)} before, {money(one.cost_after)} after")
        if (waiting := enough(one)) is not None:
            yield Text(waiting)
        yield from (Text(f"- {note}") for note in one.notes)


def tiered(view: TieredView) -> Iterator[RenderableType]:
    """The same, and where the prompt tokens came from."""
    yield from report(view)
    rows = [(one.model, one.source.value, share(one.before), share(one.after)) for one in view.tiers]
    yield table("prompt tokens by where their KV came from (Prometheus)", ("model", "source", "before", "after"), rows)


def _heading(one: Report) -> str:
    state = "" if one.complete else "; not complete"
    which = f"generation {one.generation}, {one.model}, since {clock(one.at)}"
    return f"{which}: {settling(one)}, {one.settling} requests until then left out{state}"


def _row(row: Row) -> tuple[str, ...]:
    apart = "" if row.verdict is Verdict.UNKNOWN else figure(row.quantity, row.difference, signed=True)
    return name(row.quantity), figure(row.quantity, row.before), figure(row.quantity, row.after), apart, verdict(row.verdict)


def _side(one: Side) -> str:
    rate = "" if one.per_second is None else f", {one.per_second:.2f}/s"
    return f"{one.requests} requests{rate}"
