"""A report's figures in words and units, for whoever draws it."""

from __future__ import annotations

from stack.control.cost import Cost
from stack.control.estimate import Estimate
from stack.control.report import Quantity, Report, Verdict

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


def name(quantity: Quantity) -> str:
    """What it is, for people."""
    return _WORDS[quantity]


def settling(report: Report) -> str:
    """Whether and when the change had settled."""
    if report.settled_seconds is not None:
        return f"settled after {report.settled_seconds:.0f} s"
    if report.followed_by is None or report.followed_seconds is None:
        return "never settled" if report.complete else "not settled yet"
    return f"never settled: generation {report.followed_by} came {report.followed_seconds:.0f} s later"


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


def verdict(said: Verdict) -> str:
    """What the difference is worth."""
    return said.value.replace("_", " ")


def share(value: float | None) -> str:
    """A share from 0 to 1 as per cent."""
    return "unknown" if value is None else f"{value:.1%}"
