"""The numbers of one fleet, each with what it means; what did not happen has no number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dashboard import amounts
from dashboard.figures import Figure
from dashboard.overall.fleets import Fleet
from dashboard.overall.questions import Asked
from dashboard.overall.served import Served, Spread, total
from dashboard.overall.tables import GOOD
from dashboard.wording import plain
from stack.engines.overview_queries import BY_ENGINES
from stack.metrics.queries import Query
from stack.model.tier import Path, Tier

BOTH_TIERS = "lmcache"
"""L1 and L2 of an LMCache that does not tell them apart."""
_TIERS: Mapping[str, str] = {
    Tier.ENGINE: "Engine hits", Tier.L1: "L1 hits", Tier.L2: "L2 hits", BOTH_TIERS: "LMCache hits"
}  # fmt: skip
_PATHS = {Path.DIRECT.value: "direct", Path.DPD.value: "DPD", BY_ENGINES: "in engines"}
NOBODY = Served(Fleet(""), {}, {}, {}, {}, {})
"""Of which nothing is known."""


def requests(several: Sequence[Served], asked: Asked) -> Figure:
    """The rate of all fleets together, and the share that failed."""
    rate, errors = total(several)
    by_code: dict[str, float] = {}
    for each in several:
        for code, value in each.codes.items():
            by_code[code] = by_code.get(code, 0.0) + value
    classes = "".join(f" {plain(code)}: {value:.2f} /s." for code, value in sorted(by_code.items()))
    meaning = asked.queries["requests"].help
    text = f"Over {asked.rated}, all paths; beside it the share of 5xx, unknown without requests. {meaning}{classes}"
    return Figure(
        "Requests", amounts.number(rate, "{:.2f} /s"), text, f"errors {amounts.percent(errors)}", asked.queries["requests"]
    )


def of_one(fleet: Served, asked: Asked) -> Iterator[Figure]:
    """Latencies by path, what came in time, and hit ratio by tier."""
    yield _goodput(fleet, asked.queries["missed"])
    paths = sorted({*fleet.ttft, *fleet.itl} or {Path.DIRECT.value})
    for short, spreads, name in (("TTFT", fleet.ttft, "ttft"), ("ITL", fleet.itl, "itl")):
        for path in paths:
            yield _latency(short, path, spreads.get(path, Spread()), asked.queries[name], asked.told)
    for tier, title in _TIERS.items():
        if tier == BOTH_TIERS and tier not in fleet.hits:
            continue
        query = asked.queries["hits"]
        yield Figure(title, amounts.percent(fleet.hits.get(tier)), f"Over {asked.told}. {query.help}", query=query)


def _goodput(fleet: Served, query: Query) -> Figure:
    if fleet.good is None:
        why = "Unknown: this Prometheus records nothing of the rules in alerts/rules/objectives, or nothing was served."
        return Figure("Goodput", amounts.UNKNOWN, f"{GOOD} {why}", query=query)
    value = f"≤ {amounts.number(fleet.goodput, '{:.2f} /s')}"
    missing = [] if len(fleet.goals) == 3 else ["Not all objectives are told."]
    return Figure("Goodput", value, " ".join([GOOD, *missing]), f"{amounts.at_most(fleet.good)} in time", query)


def _latency(short: str, path: str, spread: Spread, query: Query, told: str) -> Figure:
    words = _PATHS.get(path, path)
    text = f"{query.help} {plain(words)} path, over {told}; beside it the 95th percentile."
    return Figure(f"{short} p50, {words}", amounts.duration(spread.p50), text, f"p95 {amounts.duration(spread.p95)}", query)
