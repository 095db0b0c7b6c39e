"""The numbers at the top of the Overview, each with what it means; what did not happen has no number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dashboard import notices
from dashboard.asking import Answers, Now, Question
from stack.metrics import queries, spread_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where
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


def questions(where: Where) -> dict[str, Question]:
    """What has to be asked for the numbers of `where`."""
    return {
        "requests": Now(queries.requests(where)),
        "hits": Now(queries.hit_ratio(where, WINDOW)),
        "ttft now": Now(spread_queries.time_to_first_token(where, WINDOW)),
        "itl now": Now(spread_queries.inter_token_latency(where, WINDOW)),
    }


def headline(answers: Answers) -> Iterator[Figure]:
    """Rate and errors, latencies by path, hit ratio by tier. Raises PrometheusUnavailableError."""
    yield _rate(answers)
    yield from _latencies(answers, "TTFT", "Time to first token as the client sees it", "ttft now")
    yield from _latencies(answers, "ITL", "Inter-token latency as the client sees it", "itl now")
    hits = queries.hit_ratio(window=WINDOW)
    ratios = _by(answers, "hits", Label.TIER)
    for tier, title in _TIERS.items():
        yield Figure(title, notices.percent(ratios.get(tier)), f"Last 5 minutes. {hits.help}")


def _rate(answers: Answers) -> Figure:
    by_code = _by(answers, "requests", Label.CODE)
    rate = sum(by_code.values()) if by_code else None
    errors = by_code.get("5xx", 0.0) / rate if rate else None
    text = "Answered in the last minute, all paths; beside it the share of 5xx, unknown without requests."
    return Figure("Requests", notices.number(rate, "{:.2f} /s"), text, f"errors {notices.percent(errors)}")


def _latencies(answers: Answers, short: str, meaning: str, name: str) -> Iterator[Figure]:
    middle, tail = (_by(answers, name, Label.PATH, {Label.QUANTILE: q}) for q in ("p50", "p95"))
    for path in Path:
        words = path.value if path is Path.DIRECT else path.value.upper()
        yield Figure(
            f"{short} p50, {words}",
            notices.seconds(middle.get(path)),
            f"{meaning}, {words} path, last 5 minutes; beside it the 95th percentile.",
            f"p95 {notices.seconds(tail.get(path))}",
        )


def _by(answers: Answers, name: str, label: Label, only: Mapping[Label, str] | None = None) -> dict[str, float]:
    """Values by `label`, of the samples that carry `only`; fleets of several namespaces and clusters are not told apart here."""
    wanted = (only or {}).items()
    samples = [one for one in answers.samples(name) if all(one.labels.get(key) == value for key, value in wanted)]
    return {sample.labels.get(label, ""): sample.value for sample in samples}
