"""What other thresholds would have done, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.api.what_if_words import apply, computed, heading, load, milliseconds, remarks
from stack.control.break_even import Band
from stack.control.what_if import Trial, WhatIf


def what_if(view: WhatIf) -> Iterator[RenderableType]:
    """`kvdeck ctl what-if`."""
    yield Text(heading(view))
    if view.trials:
        yield _trials(view)
    if view.bands:
        yield _bands(view.bands)
    yield from (Text(f"- {remark}") for remark in remarks(view))
    if view.trials:
        yield Text(f"To apply one: {apply(view, 'THRESHOLD')}")


def _trials(view: WhatIf) -> Table:
    table = Table(title="what a threshold would have done", title_justify="left")
    columns = ("threshold", "requests disaggregated", "prompt tokens", "change path", "prefill pool busy", "mean wait", "waiting")
    for column in columns:
        table.add_column(column)
    for trial in view.trials:
        present = trial.threshold == view.dpd.routing_threshold
        table.add_row(*_trial(trial, " (now)" if present else ""), style="bold" if present else "")
    return table


def _trial(trial: Trial, mark: str) -> tuple[str, ...]:
    unsure = f", {trial.unsure} of them unsure" if trial.unsure else ""
    return (
        f"{trial.threshold:,}{mark}",
        f"{trial.disaggregated:,} ({trial.share:.1%}){unsure}",
        f"{trial.token_share:.1%}",
        f"{trial.to_prefill:,} to prefill, {trial.to_direct:,} to direct",
        *load(trial.prefill),
    )


def _bands(bands: tuple[Band, ...]) -> Table:
    table = Table(title="median TTFT by path, where prompts of like length took both", title_justify="left")
    for column in ("prompt tokens", "direct", "disaggregated", "difference", "tokens computed"):
        table.add_column(column)
    for band in bands:
        reach = f"{band.least:,} to {max(band.least * 2, 64) - 1:,}"
        table.add_row(
            reach, milliseconds(band.direct), milliseconds(band.disaggregated), milliseconds(band.difference, "+"), computed(band)
        )
    return table
