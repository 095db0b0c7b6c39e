"""What a change came to, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.api.schema import ReportView
from stack.control.cost import Cost
from stack.control.estimate import CONFIDENCE, Estimate
from stack.control.report import Quantity, Report, Row, Side, Verdict

_STYLES = {Verdict.BETTER: "green", Verdict.WORSE: "red", Verdict.CHANGED: "yellow"}
_WORDS = {
    Quantity.TTFT_P50: "TTFT p50",
    Quantity.TTFT_P95: "TTFT p95",
    Quantity.TTFT_P99: "TTFT p99",
    Quantity.GAP_P50: "between tokens p50",
    Quantity.GAP_P95: "between tokens p95",
    Quantity.GAP_P99: "between tokens p99",
    Quantity.CACHED: "prompt tokens from a cache",
    Quantity.FAILED: "requests failed",
    Quantity.LEFT: "clients left",
    Quantity.DISAGGREGATED: "requests disaggregated",
    Quantity.PROMPT_P50: "prompt tokens p50",
    Quantity.PROMPT_P95: "prompt tokens p95",
    Quantity.OUTPUT_P50: "output tokens p50",
}


def report(view: ReportView) -> Iterator[RenderableType]:
    """`kvdeck ctl report`."""
    for one in view.reports:
        yield Text(_heading(one))
        yield _table(one)
        yield Text(f"cost of a million tokens: {money(one.cost_before)} before, {money(one.cost_after)} after")
        yield from (Text(f"- {note}") for note in one.notes)


def name(quantity: Quantity) -> str:
    """What it is, for people."""
    return _WORDS[quantity]


def figure(quantity: Quantity, estimate: Estimate, *, signed: bool = False) -> str:
    """A value with its unit and its interval, or why there is none."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.unknown or "unknown"
    scale, unit, digits = _unit(quantity)
    value, low, high = (number * scale for number in (estimate.value, estimate.low, estimate.high))
    sign = "+" if signed else ""
    return f"{value:{sign},.{digits}f}{unit} ({low:{sign},.{digits}f} to {high:{sign},.{digits}f})"


def money(cost: Cost) -> str:
    """What a million tokens cost, in nobody knows which currency, or why that is unknown."""
    return f"unknown ({cost.unknown})" if cost.per_million_tokens is None else f"{cost.per_million_tokens:,.4g}"


def _unit(quantity: Quantity) -> tuple[float, str, int]:
    if quantity.endswith("_seconds"):
        return 1e3, " ms", 1
    return (1e2, " %", 1) if quantity.endswith("_share") else (1.0, "", 0)


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
    return name(row.quantity), figure(row.quantity, row.before), figure(row.quantity, row.after), apart, _verdict(row.verdict)


def _verdict(verdict: Verdict) -> str:
    return verdict.value.replace("_", " ")


def _side(one: Side) -> str:
    rate = "" if one.per_second is None else f", {one.per_second:.2f}/s"
    return f"{one.requests} requests{rate}"
