"""One decision explained on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.control.account import number, parts, predictions, seconds, sentences
from stack.control.decision import Candidate, DecisionRecord, Selection


def explanation(record: DecisionRecord) -> Iterator[RenderableType]:
    """`kvdeck ctl decision`."""
    at = datetime.fromtimestamp(record.at).astimezone()
    yield Text(f"{record.request_id}: {record.requested}, {at:%Y-%m-%d %H:%M:%S}, generation {record.generation}", "bold")
    yield from (Text(line) for line in sentences(record))
    for pool, chosen in (("prefill", record.prefill), ("decode", record.decode)):
        if chosen is not None:
            yield _candidates(pool, chosen)
    yield _expectations(record)
    if record.shadows:
        yield _shadows(record)
    if record.phases:
        yield Text("time: " + ", ".join(f"{name} {seconds(value)}" for name, value in record.phases.items()))


def _candidates(pool: str, selection: Selection) -> Table:
    names = parts(selection)
    title = f"{pool} candidates" + (f", best first by {selection.ranked_by}" if selection.ranked_by else ", least loaded first")
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in ("", "engine", "in flight", "cached", *names):
        table.add_column(column, justify="left" if column in ("", "engine") else "right")
    for candidate in selection.candidates:
        table.add_row(*(Text(cell) for cell in _row(candidate, selection, names)))
    if selection.omitted:
        table.caption = f"and {selection.omitted} others"
    return table


def _row(candidate: Candidate, selection: Selection, names: Sequence[str]) -> Iterator[str]:
    yield ">" if candidate.engine == selection.engine else ""
    yield candidate.engine
    yield str(candidate.in_flight)
    yield number(candidate.cached_tokens)
    for name in names:
        yield f"{candidate.scores[name]:,.6g}" if name in candidate.scores else "?"


def _expectations(record: DecisionRecord) -> Table:
    table = Table(title="as predicted?", title_justify="left", title_style="bold")
    for column in ("", "predicted", "measured"):
        table.add_column(column, justify="right" if column else "left")
    for row in predictions(record):
        table.add_row(*map(Text, row))
    return table


def _shadows(record: DecisionRecord) -> Table:
    table = Table(title="what others would have done", title_justify="left", title_style="bold")
    for column in ("strategy", "engine", "because", "more cached", "sooner"):
        table.add_column(column, justify="left" if column in ("strategy", "engine", "because") else "right")
    for shadow in record.shadows:
        engine = "the same" if shadow.agrees else shadow.engine
        table.add_row(
            *map(Text, (shadow.strategy, engine, shadow.reason, number(shadow.gained_tokens), seconds(shadow.gained_seconds)))
        )
    return table
