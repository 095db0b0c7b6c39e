"""Where targets run: the labels that tell one namespace's, and one cluster's, series from another's.

Prometheus attaches those of whom it scrapes, and that is the exporter. With `honor_labels` what the exporter says wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from exporters.collector import Point
from stack.metrics.family import Label
from stack.model.target import Target

NOWHERE: Mapping[Label, str] = {}


def place(target: Target) -> Mapping[Label, str]:
    """What is known of where `target` runs; a label that nobody said is left out."""
    told = {Label.CLUSTER: target.cluster, Label.NAMESPACE: target.namespace}
    return {label: value for label, value in told.items() if value is not None}


def places(targets: Iterable[Target]) -> dict[str, Mapping[Label, str]]:
    """The place of each target of which one is known, by name; of two of a name the last counts."""
    return {target.replica: found for target in targets if (found := place(target))}


def placed(points: Iterable[Point], where: Mapping[Label, str]) -> Iterator[Point]:
    """`points`, each said to be of there."""
    if not where:
        yield from points
        return
    for point in points:
        yield Point(point.family, {**point.labels, **where}, point.value)
