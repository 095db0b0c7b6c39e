"""What other thresholds would have done, in words and units, for whoever draws it."""

from __future__ import annotations

from collections.abc import Iterator

from stack.control.break_even import Band
from stack.control.estimate import Estimate
from stack.control.prefill_load import PrefillLoad
from stack.control.what_if import WhatIf
from stack.model.tier import Path


def heading(view: WhatIf) -> str:
    """What it is about, in one line."""
    if view.since is None or view.until is None:
        return f"{view.model}: no decision is recorded"
    engines = "an unknown number of" if view.prefill_engines is None else str(view.prefill_engines)
    now = f"{view.dpd.routing_threshold:,}" if view.dpd.enabled else f"off ({view.dpd.routing_threshold:,})"
    span = f"{view.requests:,} requests in {view.until - view.since:,.0f} s"
    return f"{view.model}: {span}; threshold now {now}{_least(view)}; {engines} prefill engines, {_cost(view)}"


def remarks(view: WhatIf) -> Iterator[str]:
    """What is not known, and what to bear in mind."""
    if view.trials and not view.bands:
        yield "Which path is quicker cannot be told: no prompts of like length took both."
    reasons = dict.fromkeys(trial.prefill.unknown for trial in view.trials if trial.prefill.unknown is not None)
    yield from (f"The prefill pool's load is unknown: {reason}." for reason in reasons)
    yield from view.notes


def load(prefill: PrefillLoad) -> tuple[str, str, str]:
    """How busy the pool would be, how long a prompt waits there and how many do; unknown where it is."""
    if prefill.unknown is not None or prefill.utilisation is None:
        return "unknown", "", ""
    busy = f"{prefill.utilisation:.0%}"
    if prefill.utilisation_low is not None and prefill.utilisation_high is not None:
        busy += f" ({prefill.utilisation_low:.0%} to {prefill.utilisation_high:.0%})"
    if prefill.wait_seconds is None or prefill.waiting is None:
        return f"{busy}, saturated", "grows", "grows"
    return busy, f"{prefill.wait_seconds * 1e3:,.0f} ms", f"{prefill.waiting:.2f}"


def milliseconds(estimate: Estimate, sign: str = "") -> str:
    """Seconds as people read them, with interval and sample size, or why they are not known."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.unknown or "unknown"
    value, low, high = (seconds * 1e3 for seconds in (estimate.value, estimate.low, estimate.high))
    return f"{value:{sign},.0f} ms ({low:{sign},.0f} to {high:{sign},.0f}), of {estimate.samples}"


def computed(band: Band) -> str:
    """The median number of prompt tokens that either path had to compute."""
    medians = (band.direct_computed.value, band.disaggregated_computed.value)
    direct, disaggregated = ("unknown" if tokens is None else f"{tokens:,.0f}" for tokens in medians)
    return f"{direct} direct, {disaggregated} disaggregated"


def apply(view: WhatIf, threshold: int | str) -> str:
    """The command that puts a threshold in force."""
    enabled = "" if view.dpd.enabled else " dpd.enabled=true"
    least = view.min_uncached_tokens
    uncached = "" if least == view.dpd.min_uncached_tokens else f" dpd.min_uncached_tokens={least}"
    return f"kvdeck ctl set --model {view.model} dpd.routing_threshold={threshold}{uncached}{enabled}"


def _least(view: WhatIf) -> str:
    """What else is tried."""
    if view.min_uncached_tokens == view.dpd.min_uncached_tokens:
        return ""
    return f"; tried with min_uncached_tokens {view.min_uncached_tokens:,} in place of {view.dpd.min_uncached_tokens:,}"


def _cost(view: WhatIf) -> str:
    """Without intervals where decode engines were measured: they hold what those take, not what prefill engines would."""
    fixed, each = view.fixed_seconds, view.seconds_per_token
    if fixed.value is None or each.value is None:
        return f"what a prefill takes unknown: {fixed.unknown}"
    ranges = ("", "")
    if view.measured_on is Path.DPD:
        ranges = (_range(fixed, 1e3), _range(each, 1e6))
    where = "decode" if view.measured_on is Path.DIRECT else "prefill"
    return (
        f"a prefill takes {fixed.value * 1e3:,.0f} ms{ranges[0]} and {each.value * 1e6:,.0f} microseconds a token{ranges[1]}"
        f" on {where} engines"
    )


def _range(estimate: Estimate, unit: float) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({estimate.low * unit:,.0f} to {estimate.high * unit:,.0f})"
