"""The numbers at the top of the Overview, each with what it means; what did not happen has no number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dashboard import notices
from dashboard.promapi import PromApi
from stack.metrics import queries
from stack.metrics.family import Label
from stack.metrics.queries import Query
from stack.model.tier import Path, Tier

WINDOW = "5m"
_TIERS = {Tier.ENGINE: "Engine hits", Tier.L1: "L1 hits", Tier.L2: "L2 hits"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit; `beside` is a second one that belongs to it."""

    title: str
    value: str
    help: str
    beside: str | None = None


def headline(prometheus: PromApi) -> Iterator[Figure]:
    """Rate and errors, latencies by path, hit ratio by tier. Raises PrometheusUnavailableError."""
    yield _rate(prometheus)
    yield from _latencies(prometheus, "TTFT", "Time to first token as the client sees it", queries.time_to_first_token)
    yield from _latencies(prometheus, "ITL", "Inter-token latency as the client sees it", queries.inter_token_latency)
    hits = queries.hit_ratio(window=WINDOW)
    ratios = _by(prometheus, hits, Label.TIER)
    for tier, title in _TIERS.items():
        yield Figure(title, notices.percent(ratios.get(tier)), f"Last 5 minutes. {hits.help}")


def _rate(prometheus: PromApi) -> Figure:
    by_code = _by(prometheus, queries.requests(), Label.CODE)
    rate = sum(by_code.values()) if by_code else None
    errors = by_code.get("5xx", 0.0) / rate if rate else None
    text = "Answered in the last minute, all paths; beside it the share of 5xx, unknown without requests."
    return Figure("Requests", notices.number(rate, "{:.2f} /s"), text, f"errors {notices.percent(errors)}")


def _latencies(prometheus: PromApi, short: str, meaning: str, quantile: Callable[..., Query]) -> Iterator[Figure]:
    middle, tail = (_by(prometheus, quantile(q, window=WINDOW), Label.PATH) for q in (0.5, 0.95))
    for path in Path:
        name = path.value if path is Path.DIRECT else path.value.upper()
        yield Figure(
            f"{short} p50, {name}",
            notices.seconds(middle.get(path)),
            f"{meaning}, {name} path, last 5 minutes; beside it the 95th percentile.",
            f"p95 {notices.seconds(tail.get(path))}",
        )


def _by(prometheus: PromApi, query: Query, label: Label) -> dict[str, float]:
    return {sample.labels.get(label, ""): sample.value for sample in prometheus.instant(query.expr)}
