"""The whole name of a pool or an engine, by which it is nobody else, and what Prometheus tells of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from dashboard.fleet.place import Place
from dashboard.promapi import Sample
from dashboard.sites import NOWHERE, Site
from stack.metrics.engine_queries import Quantity
from stack.metrics.family import Label

_BY_OTHERS: Mapping[str, str] = {Quantity.IN_FLIGHT: "router", Quantity.HEALTH: "router", Quantity.DESIRED: "control"}
"""Who tells it, who may be in another namespace than the engines; the exporter tells the rest from where each engine is."""
_EXPORTER = "exporter"
_Spaces = Mapping[str, Mapping[str, list[Sample]]]
"""Samples by who tells them and by namespace."""


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """The engine of this name in a pool, or the pool itself, whose `engine` is empty; and where it is."""

    place: Place
    engine: str = ""
    site: Site = NOWHERE


def owned(samples: Iterable[Sample]) -> dict[Name, list[Sample]]:
    """The samples of each pool and engine.

    What routers and control in other namespaces of the cluster tell is of the only one of that name there is, unless its own
    namespace has some. Where several namespaces have one, nobody knows whose it is, and it is left out.
    """
    found: dict[tuple[Place, str, str], dict[str, dict[str, list[Sample]]]] = {}
    for sample in samples:
        labels, site = sample.labels, Site.of(sample.labels)
        place = Place(labels.get(Label.MODEL_NAME, ""), labels.get(Label.POOL, ""))
        spaces = found.setdefault((place, labels.get(Label.REPLICA, ""), site.cluster), {})
        teller = _BY_OTHERS.get(labels.get(Label.QUANTITY, ""), _EXPORTER)
        spaces.setdefault(teller, {}).setdefault(site.namespace, []).append(sample)
    return {
        Name(place, engine, Site(cluster, namespace)): own
        for (place, engine, cluster), spaces in found.items()
        for namespace, own in _by_namespace(spaces)
    }


def _by_namespace(spaces: _Spaces) -> Iterator[tuple[str, list[Sample]]]:
    home = next(spaces[teller] for teller in (_EXPORTER, *_BY_OTHERS.values()) if teller in spaces)
    for namespace in home:
        told = (each.get(namespace) or _elsewhere(each, alone=len(home) == 1) for each in spaces.values())
        yield namespace, list(chain.from_iterable(told))


def _elsewhere(each: Mapping[str, list[Sample]], *, alone: bool) -> Iterable[Sample]:
    return chain.from_iterable(each.values()) if alone else ()
