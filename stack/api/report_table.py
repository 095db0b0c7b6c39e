"""What a change came to, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.api.report_words import figure, money, name, share, verdict
from stack.api.schema import ReportView
from stack.api.tier_shares import TierShare
from stack.control.estimate import CONFIDENCE
from stack.control.report import Report, Row, Side, Verdict

_STYLES = {Verdict.BETTER: "green", Verdict.WORSE: "red", Verdict.CHANGED: "yellow"}


class TieredView(ReportView, frozen=True, kw_only=True):
    """A change's reports, and what Prometheus knows of the tiers."""

    tiers: tuple[TierShare, ...]


def report(view: ReportView) -> Iterator[RenderableType]:
    """`kvdeck ctl report`."""
    for one in view.reports:
        yield Text(_heading(one))
        yield _table(one)
        yield Text(f"cost of a million tokens: {money(one.cost_before)} before, {money(one.cost_after)} after")
        yield from (Text(f"- {note}") for note in one.notes)


def tiered(view: TieredView) -> Iterator[RenderableType]:
    """The same, and where the prompt tokens came from."""
    yield from report(view)
    table = Table(title="prompt tokens by where their KV came from (Prometheus)", title_justify="left")
    for column in ("model", "source", "before", "after"):
        table.add_column(column)
    for one in view.tiers:
        table.add_row(one.model, one.source.value, share(one.before), share(one.after))
    yield table


def _heading(one: Report) -> str:
    began = f"{datetime.fromtimestamp(one.at):%Y-%m-%d %H:%M:%S}"
    settling = "not settled yet" if one.settled_seconds is None else f"settled after {one.settled_seconds:.0f} s"
    state = "" if one.complete else "; not complete"
    return (
        f"generation {one.generation}, {one.model}, since {began}: {settling}, {one.settling} requests until then left out{state}"
    )


def _table(one: Report) -> Table:
    table = Table(title=f"before and after, {CONFIDENCE:.0%} intervals", title_justify="left")
    for column in ("", f"before: {_side(one.before)}", f"after: {_side(one.after)}", "difference", ""):
        table.add_column(column)
    for row in one.rows:
        table.add_row(*_row(row), style=_STYLES.get(row.verdict, ""))
    return table


def _row(row: Row) -> tuple[str, ...]:
    apart = "" if row.verdict is Verdict.UNKNOWN else figure(row.quantity, row.difference, signed=True)
    return name(row.quantity), figure(row.quantity, row.before), figure(row.quantity, row.after), apart, verdict(row.verdict)


def _side(one: Side) -> str:
    rate = "" if one.per_second is None else f", {one.per_second:.2f}/s"
    return f"{one.requests} requests{rate}"
