"""The whole name of a pool or an engine, by which it is nobody else, and what Prometheus tells of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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

    What a router or control in another namespace of the cluster tells is of the only one of that name there is. Where several
    namespaces have one, nobody knows whose it is, and it is left out.
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
    home = spaces.get(_EXPORTER) or {namespace: own for each in spaces.values() for namespace, own in each.items()}
    if all(len(each) == 1 for each in spaces.values()):
        yield next(iter(home)), [sample for each in spaces.values() for own in each.values() for sample in own]
        return
    for namespace in home:
        yield namespace, [sample for each in spaces.values() for sample in each.get(namespace, ())]
