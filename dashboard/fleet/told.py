"""What Prometheus told of pools and engines, by quantity; what is not there is absent, and what several fleets tell is nobody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dashboard import amounts
from dashboard.fleet.place import Place
from dashboard.promapi import Sample
from stack.metrics.engine_queries import Quantity
from stack.metrics.family import Label

Name = tuple[Place, str]
"""An engine: its pool and its name. A pool itself has the name ""."""
Figures = Mapping[Quantity, float]
_WORST_FIRST = ("not_ready", "unknown", "ready")


@dataclass(frozen=True, slots=True)
class Listed:
    """How the exporter and the routers list one engine.

    `age` is in seconds: of the exporter's answer that lists it, None where none does. `health` is the worst that a router gives it.
    `unread` are the collectors that could not read it. `several`: clusters or namespaces have an engine of this name each.
    """

    age: float | None = None
    version: str | None = None
    emulated: bool | None = None
    health: str | None = None
    unread: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """Figures by pool or engine. `ambiguous` are those that several namespaces or clusters tell of, whose figures are left out."""

    figures: Mapping[Name, Figures] = field(default_factory=dict)
    ambiguous: frozenset[Name] = frozenset()


def figures(samples: Iterable[Sample]) -> Told:
    """By pool or engine."""
    found: dict[Name, dict[Quantity, float]] = {}
    ambiguous = set()
    for sample in samples:
        name = _name(sample)
        own = found.setdefault(name, {})
        quantity = sample.labels.get(Label.QUANTITY, "")
        if quantity not in set(Quantity):
            continue  # such as the hits of an LMCache that does not tell its tiers apart
        if quantity in own:
            ambiguous.add(name)
        own[Quantity(quantity)] = sample.value
    return Told({name: own for name, own in found.items() if name not in ambiguous}, frozenset(ambiguous))


def listing(samples: Sequence[Sample]) -> dict[Name, Listed]:
    """By engine, in the order that they are told."""
    kept = max((sample.value for sample in samples if _is(sample, Quantity.AGE)), default=0.0)
    unread = _unread(samples)
    health = _health(samples)
    found = {name: Listed(health=state) for name, state in health.items()}
    fleets: dict[Name, set[tuple[str, str]]] = {}
    for sample in samples:
        if _is(sample, Quantity.LISTED):
            name, labels = _name(sample), sample.labels
            fleets.setdefault(name, set()).add((labels.get(Label.CLUSTER, ""), labels.get(Label.NAMESPACE, "")))
            found[name] = Listed(
                age=sample.value + kept,
                version=labels.get(Label.VERSION) or None,
                emulated={"true": True, "false": False}.get(labels.get(Label.EMULATED, "")),
                health=health.get(name),
                unread=tuple(sorted(unread.get(name[1], ()))),
                several=len(fleets[name]) > 1,
            )
    return found


def _unread(samples: Sequence[Sample]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for sample in samples:
        if _is(sample, Quantity.UNREAD):
            found.setdefault(sample.labels.get(Label.TARGET, ""), []).append(sample.labels.get(Label.COLLECTOR, amounts.UNKNOWN))
    return found


def _health(samples: Sequence[Sample]) -> dict[Name, str]:
    states: dict[Name, set[str]] = {}
    for sample in samples:
        if _is(sample, Quantity.HEALTH):
            states.setdefault(_name(sample), set()).add(sample.labels.get(Label.STATE, ""))
    return {name: next((state for state in _WORST_FIRST if state in told), "unknown") for name, told in states.items()}


def _is(sample: Sample, quantity: Quantity) -> bool:
    return sample.labels.get(Label.QUANTITY) == quantity


def _name(sample: Sample) -> Name:
    labels = sample.labels
    return Place(labels.get(Label.MODEL_NAME, ""), labels.get(Label.POOL, "")), labels.get(Label.REPLICA, "")
