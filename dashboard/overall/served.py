"""How a fleet serves its clients: rate, errors, latencies, hits, and what came of its objectives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.overall.fleets import Figures, Fleet, Known
from dashboard.promapi import Sample
from stack.metrics.family import Label
from stack.metrics.objective_queries import Objective
from stack.model.tier import Source

ERRORS = frozenset({"5xx", "error"})
"""Classes that are the fleet's fault: of routers, and of engines where those tell."""
NAMES = ("requests", "ttft", "itl", "missed", "budget", "bound", "hits", "sources", "listed")


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the tail of a latency, in seconds; None where nobody knows."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """One objective: the share that `missed` it, the share that may, and the seconds it is about; None where nobody knows."""

    objective: Objective
    missed: float | None = None
    budget: float | None = None
    seconds: float | None = None

    @property
    def met(self) -> float | None:
        """The share that met it."""
        return None if self.missed is None else 1 - self.missed

    @property
    def left(self) -> float | None:
        """What is left of the budget, as a share of it; below 0 it is overdrawn."""
        return None if self.missed is None or not self.budget else 1 - self.missed / self.budget


@dataclass(frozen=True, slots=True)
class Served:
    """One fleet. Rates are a second, latencies by path, hit ratios by tier; what is not there nobody knows."""

    fleet: Fleet
    codes: Mapping[str, float]
    ttft: Mapping[str, Spread]
    itl: Mapping[str, Spread]
    hits: Mapping[str, float]
    sources: Mapping[Source, float]
    goals: tuple[Goal, ...] = ()

    @property
    def rate(self) -> float | None:
        """Requests answered a second."""
        return sum(self.codes.values()) if self.codes else None

    @property
    def errors(self) -> float | None:
        """The share of them that failed; None without requests."""
        failed = sum(rate for code, rate in self.codes.items() if code in ERRORS)
        return failed / self.rate if self.rate else None

    @property
    def good(self) -> float | None:
        """The share of requests that met every objective, at most: which ones missed which is not told, so the worst counts."""
        met = [goal.met for goal in self.goals if goal.met is not None]
        return min(met) if met else None

    @property
    def goodput(self) -> float | None:
        """Good requests a second, at most."""
        return None if self.good is None or self.rate is None else self.good * self.rate


def served(found: Known) -> list[Served]:
    """Each fleet, by model; what names no model (requests that were refused before they were read) last."""
    all_of_them = (_served(fleet, figures) for fleet, figures in found.fleets.items())
    return sorted(all_of_them, key=lambda each: (not each.fleet.model, each.fleet))


def total(several: Iterable[Served]) -> tuple[float | None, float | None]:
    """Requests a second of all, and the share of them that failed; None where nobody tells of any."""
    known = [each for each in several if each.rate is not None]
    rate = sum(each.rate or 0.0 for each in known)
    failed = sum((each.rate or 0.0) * (each.errors or 0.0) for each in known)
    return (rate, failed / rate if rate else None) if known else (None, None)


def _served(fleet: Fleet, figures: Figures) -> Served:
    return Served(
        fleet=fleet,
        codes=_sums(figures.get("requests", ()), Label.CODE),
        ttft=_spreads(figures.get("ttft", ())),
        itl=_spreads(figures.get("itl", ())),
        hits={sample.labels.get(Label.TIER, ""): sample.value for sample in figures.get("hits", ())},
        sources=_sources(figures.get("sources", ())),
        goals=tuple(_goals(figures)),
    )


def _sources(samples: Iterable[Sample]) -> dict[Source, float]:
    sums = _sums(samples, Label.SOURCE)
    return {source: sums[source] for source in Source if source in sums}


def _sums(samples: Iterable[Sample], label: Label) -> dict[str, float]:
    found: dict[str, float] = {}
    for sample in samples:
        word = sample.labels.get(label, "")
        found[word] = found.get(word, 0.0) + sample.value
    return found


def _spreads(samples: Iterable[Sample]) -> dict[str, Spread]:
    by_path: dict[str, dict[str, float]] = {}
    for sample in samples:
        by_path.setdefault(sample.labels.get(Label.PATH, ""), {})[sample.labels.get(Label.QUANTILE, "")] = sample.value
    return {path: Spread(values.get("p50"), values.get("p95")) for path, values in sorted(by_path.items())}


def _goals(figures: Figures) -> Iterable[Goal]:
    told = {name: _of_objectives(figures.get(name, ())) for name in ("missed", "budget", "bound")}
    for objective in Objective:
        values = [told[name].get(objective) for name in ("missed", "budget", "bound")]
        if any(value is not None for value in values):
            yield Goal(objective, *values)


def _of_objectives(samples: Iterable[Sample]) -> dict[str, float]:
    return {sample.labels.get(Label.OBJECTIVE, ""): sample.value for sample in samples}
