"""What other thresholds would have done, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from stack.api.table import table
from stack.api.what_if_words import apply, computed, heading, load, milliseconds, remarks
from stack.control.break_even import BAND_LEAST, Band
from stack.control.what_if import Trial, WhatIf

_TRIALS = ("threshold", "requests disaggregated", "prompt tokens", "change path", "prefill pool busy", "mean wait", "waiting")
_BANDS = ("prompt tokens", "direct", "disaggregated", "difference", "tokens computed")


def what_if(view: WhatIf) -> Iterator[RenderableType]:
    """`kvdeck ctl what-if`."""
    yield Text(heading(view))
    if view.trials:
        in_force = view.min_uncached_tokens == view.dpd.min_uncached_tokens
        present = view.dpd.routing_threshold if in_force else None
        yield table("what a threshold would have done", _TRIALS, (_trial(trial, present) for trial in view.trials))
    if view.bands:
        yield table("median TTFT by path, where prompts of like length took both", _BANDS, map(_band, view.bands))
    yield from (Text(f"- {remark}") for remark in remarks(view))
    if view.trials:
        yield Text(f"To apply one: {apply(view, 'THRESHOLD')}")


def _trial(trial: Trial, present: int | None) -> tuple[str, ...]:
    mark = " (now)" if trial.threshold == present else ""
    unsure = f", {trial.unsure} of them unsure" if trial.unsure else ""
    return (
        f"{trial.threshold:,}{mark}",
        f"{trial.disaggregated:,} ({trial.share:.1%}){unsure}",
        f"{trial.token_share:.1%}",
        f"{trial.to_prefill:,} to prefill, {trial.to_direct:,} to direct",
        *load(trial.prefill),
    )


def _band(band: Band) -> tuple[str, ...]:
    reach = f"{band.least:,} to {max(band.least * 2, BAND_LEAST) - 1:,}"
    times = (milliseconds(band.direct), milliseconds(band.disaggregated), milliseconds(band.difference, "+"))
    return reach, *times, computed(band)
