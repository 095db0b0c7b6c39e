"""Several worker processes told as one router: their samples merged by each family's rule, and what ended ones counted kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from stack.metrics.catalog import CATALOG
from stack.metrics.family import Family, Kind, Merge

Labels = tuple[tuple[str, str], ...]
Exposed = Mapping[str, Sequence[tuple[str, Labels, float]]]
"""Samples by family; a sample has its own name, since a histogram's samples have three."""

_RULES: dict[Merge | None, Callable[[Sequence[float]], float]] = {
    Merge.SUM: sum,
    Merge.MAX: max,
    Merge.MIN: min,
    Merge.MEAN: fmean,
}


def merged(several: Iterable[Exposed]) -> Exposed:
    """One exposition of `several`: counters and histograms summed by labels, gauges by their family's rule.

    A series that only some have is theirs alone: absent is not zero. Raises KeyError for a family that is not the catalogue's.
    """
    gathered: dict[str, dict[tuple[str, Labels], list[float]]] = {}
    for exposed in several:
        for family, samples in exposed.items():
            series = gathered.setdefault(family, {})
            for name, labels, value in samples:
                series.setdefault((name, labels), []).append(value)
    return {family: _told(CATALOG[family], series) for family, series in gathered.items()}


def _told(family: Family, series: Mapping[tuple[str, Labels], Sequence[float]]) -> list[tuple[str, Labels, float]]:
    rule = _RULES[family.merge or Merge.SUM]
    return [(name, labels, rule(values)) for (name, labels), values in series.items()]


class Totals:
    """Keeps the sums of counters from falling: a falling sum reads as a restart of all, and every rate over it jumps.

    A worker that is silent counts as it was last heard; what one had counted when it ended stays in the sum.
    """

    def __init__(self) -> None:
        self._heard: dict[int, Exposed] = {}
        self._past: Exposed = {}

    def heard(self, worker: int, exposed: Exposed) -> None:
        """`worker` told its samples."""
        self._heard[worker] = exposed

    def ended(self, worker: int) -> None:
        """`worker`'s process is gone; the next one under its number begins at zero."""
        if (last := self._heard.pop(worker, None)) is not None:
            self._past = merged([self._past, _counted(last)])

    def exposed(self, present: Iterable[int]) -> Exposed:
        """The router's samples, with the gauges of the workers that are `present`: that answered just now."""
        here = frozenset(present)
        return merged([self._past, *(last if worker in here else _counted(last) for worker, last in self._heard.items())])


def _counted(exposed: Exposed) -> Exposed:
    """Without the gauges, which say how things are and not what happened."""
    return {family: samples for family, samples in exposed.items() if CATALOG[family].kind is not Kind.GAUGE}
