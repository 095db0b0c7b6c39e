"""What Prometheus told of pools and engines, by quantity; what is not there is absent, and nobody has a namesake's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dashboard import amounts
from dashboard.fleet import name
from dashboard.fleet.name import Name
from dashboard.fleet.place import Place
from dashboard.promapi import Sample
from dashboard.sites import Site
from stack.metrics.engine_queries import Quantity
from stack.metrics.family import Label

Figures = Mapping[Quantity, float]
_WORST_FIRST = ("not_ready", "unknown", "ready")


@dataclass(frozen=True, slots=True)
class Listed:
    """How the exporter and the routers list one engine.

    `age` is in seconds: of the exporter's answer that lists it, None where none does. `health` is the worst that a router gives it.
    `unread` are the collectors that could not read it.
    """

    age: float | None = None
    version: str | None = None
    emulated: bool | None = None
    health: str | None = None
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """Figures by pool or engine."""

    figures: Mapping[Name, Figures] = field(default_factory=dict)

    def of_pool(self, place: Place) -> Figures:
        """Those of the pool at `place` while there is one: of several nobody tells which is control's."""
        pools = self.pools(place)
        return self.figures[pools[0]] if len(pools) == 1 else {}

    def pools(self, place: Place) -> list[Name]:
        """The pools at `place`, one a cluster and namespace that has it."""
        return sorted(one for one in self.figures if one.place == place and not one.engine)


def figures(samples: Iterable[Sample]) -> Told:
    """By pool or engine."""
    # Others are such as the hits of an LMCache that does not tell its tiers apart.
    measured = [sample for sample in samples if sample.labels.get(Label.QUANTITY) in set(Quantity)]
    return Told({whole: _figures(own) for whole, own in name.owned(measured).items()})


def _figures(own: Iterable[Sample]) -> Figures:
    """Requests in flight are those of all routers, wherever those are."""
    found: dict[Quantity, float] = {}
    for sample in own:
        quantity = Quantity(sample.labels[Label.QUANTITY])
        before = found.get(quantity, 0.0) if quantity is Quantity.IN_FLIGHT else 0.0
        found[quantity] = before + sample.value
    return found


def listing(samples: Sequence[Sample]) -> dict[Name, Listed]:
    """By engine, in the order that they are told."""
    ages: dict[str, float] = {}
    for sample in _only(samples, Quantity.AGE):  # the exporter's, which may be in another namespace than its engines
        cluster = Site.of(sample.labels).cluster
        ages[cluster] = max(ages.get(cluster, 0.0), sample.value)
    unread = _unread(samples)
    engines = name.owned([*_only(samples, Quantity.LISTED), *_only(samples, Quantity.HEALTH)])
    return {
        whole: _listed(own, ages.get(whole.site.cluster, 0.0), unread.get((whole.site, whole.engine), ()))
        for whole, own in engines.items()
    }


def _listed(own: Sequence[Sample], kept: float, unread: Sequence[str]) -> Listed:
    health = _health(_only(own, Quantity.HEALTH))
    told = min(_only(own, Quantity.LISTED), key=lambda sample: sample.value, default=None)
    if told is None:
        return Listed(health=health)
    return Listed(
        age=told.value + kept,
        version=told.labels.get(Label.VERSION) or None,
        emulated={"true": True, "false": False}.get(told.labels.get(Label.EMULATED, "")),
        health=health,
        unread=tuple(sorted(unread)),
    )


def _unread(samples: Sequence[Sample]) -> dict[tuple[Site, str], list[str]]:
    found: dict[tuple[Site, str], list[str]] = {}
    for sample in _only(samples, Quantity.UNREAD):
        target = Site.of(sample.labels), sample.labels.get(Label.TARGET, "")
        found.setdefault(target, []).append(sample.labels.get(Label.COLLECTOR, amounts.UNKNOWN))
    return found


def _health(samples: Sequence[Sample]) -> str | None:
    states = {sample.labels.get(Label.STATE, "") for sample in samples}
    return next((state for state in _WORST_FIRST if state in states), "unknown") if states else None


def _only(samples: Iterable[Sample], quantity: Quantity) -> list[Sample]:
    return [sample for sample in samples if sample.labels.get(Label.QUANTITY) == quantity]
