"""What other thresholds would have done, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.control.break_even import Band
from stack.control.estimate import Estimate
from stack.control.what_if import PrefillLoad, Trial, WhatIf


def what_if(view: WhatIf) -> Iterator[RenderableType]:
    """`kvdeck ctl what-if`."""
    yield Text(_heading(view))
    if view.trials:
        yield _trials(view)
        reasons = dict.fromkeys(trial.prefill.unknown for trial in view.trials if trial.prefill.unknown is not None)
        yield from (Text(f"- The prefill pool's load is unknown: {reason}.") for reason in reasons)
    if view.bands:
        yield _bands(view.bands)
    elif view.trials:
        yield Text("Which path is quicker cannot be told: no prompts of like length took both.")
    yield from (Text(f"- {note}") for note in view.notes)
    if view.trials:
        yield Text(f"To apply one: {apply(view, 'THRESHOLD')}")


def apply(view: WhatIf, threshold: int | str) -> str:
    """The command that puts a threshold in force."""
    enabled = "" if view.dpd.enabled else " dpd.enabled=true"
    return f"kvdeck ctl set --model {view.model} dpd.routing_threshold={threshold}{enabled}"


def load(prefill: PrefillLoad) -> tuple[str, str, str]:
    """How busy the pool would be, how long a prompt waits there and how many do; unknown where it is."""
    if prefill.unknown is not None or prefill.utilisation is None:
        return "unknown", "", ""
    busy = f"{prefill.utilisation:.0%}"
    if prefill.wait_seconds is None or prefill.waiting is None:
        return f"{busy}, saturated", "grows", "grows"
    return busy, f"{prefill.wait_seconds * 1e3:,.0f} ms", f"{prefill.waiting:.2f}"


def _heading(view: WhatIf) -> str:
    if view.since is None or view.until is None:
        return f"{view.model}: no decision is recorded"
    engines = "an unknown number of" if view.prefill_engines is None else str(view.prefill_engines)
    now = f"{view.dpd.routing_threshold:,}" if view.dpd.enabled else f"off ({view.dpd.routing_threshold:,})"
    span = f"{view.requests:,} requests in {view.until - view.since:,.0f} s"
    return f"{view.model}: {span}; threshold now {now}; {engines} prefill engines, {_cost(view.seconds_per_token)}"


def _cost(each: Estimate) -> str:
    if each.value is None or each.low is None or each.high is None:
        return f"what a prefill takes unknown: {each.unknown}"
    value, low, high = (seconds * 1e6 for seconds in (each.value, each.low, each.high))
    return f"{value:,.0f} microseconds a token ({low:,.0f} to {high:,.0f})"


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
    for column in ("prompt tokens", "direct", "disaggregated", "difference"):
        table.add_column(column)
    for band in bands:
        reach = f"{band.least:,} to {max(band.least * 2, 64) - 1:,}"
        table.add_row(reach, _seconds(band.direct), _seconds(band.disaggregated), _seconds(band.difference, "+"))
    return table


def _seconds(estimate: Estimate, sign: str = "") -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.unknown or "unknown"
    value, low, high = (seconds * 1e3 for seconds in (estimate.value, estimate.low, estimate.high))
    return f"{value:{sign},.0f} ms ({low:{sign},.0f} to {high:{sign},.0f}), of {estimate.samples}"
