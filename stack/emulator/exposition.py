"""Prometheus text of one engine, made for hundreds of engines in one process: plain numbers, no locks, labels joined once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from stack.engines.vllm_names import VllmFamily, sizes
from stack.metrics.family import Kind


class _Distribution:
    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str) -> Iterator[str]:
        seen = 0
        for bound, count in zip([*self.bounds, float("inf")], self.counts, strict=True):
            seen += count
            le = "+Inf" if bound == float("inf") else str(float(bound))
            yield f'{name}_bucket{{{labels},le="{le}"}} {float(seen)}'
        yield f"{name}_count{{{labels}}} {float(seen)}"
        yield f"{name}_sum{{{labels}}} {self.total}"


class Sheet:
    """The current values of a set of families. `base` labels go on every series.

    Every family without labels of its own starts at zero, as the engine's does; one with labels starts
    with the series that were touched.
    """

    def __init__(self, families: Iterable[VllmFamily], base: Mapping[str, str], max_model_len: int) -> None:
        self._base = dict(base)
        self._sizes = sizes(max_model_len)
        self._families = {family.name: family for family in families}
        self._values: dict[str, dict[str, float]] = {}
        self._distributions: dict[str, dict[str, _Distribution]] = {}
        self._labels: dict[tuple[str, ...], str] = {}
        for family in self._families.values():
            if not family.labels:
                self.touch(family)

    def touch(self, family: VllmFamily, *labels: str) -> None:
        """Make a series exist, at zero."""
        if family.kind is Kind.HISTOGRAM:
            self._distribution(family, labels)
        else:
            self.add(family, 0.0, *labels)

    def add(self, family: VllmFamily, amount: float, *labels: str) -> None:
        series = self._values.setdefault(family.name, {})
        key = self._key(family, labels)
        series[key] = series.get(key, 0.0) + amount

    def set(self, family: VllmFamily, value: float, *labels: str) -> None:
        self._values.setdefault(family.name, {})[self._key(family, labels)] = value

    def observe(self, family: VllmFamily, value: float, *labels: str) -> None:
        self._distribution(family, labels).observe(value)

    def info(self, family: VllmFamily, labels: Mapping[str, str]) -> None:
        """The one series of an info family, whose own labels are open."""
        self._values[family.name] = {_join({**labels, **self._base}): 1.0}

    def render(self) -> Iterator[str]:
        """Lines of the exposition, families in their order."""
        for name, family in self._families.items():
            yield f"# HELP {name} {family.help}"
            yield f"# TYPE {name} {family.kind}"
            for labels, value in self._values.get(name, {}).items():
                yield f"{name}{{{labels}}} {float(value)}"
            for labels, distribution in self._distributions.get(name, {}).items():
                yield from distribution.lines(name, labels)

    def _distribution(self, family: VllmFamily, labels: tuple[str, ...]) -> _Distribution:
        series = self._distributions.setdefault(family.name, {})
        key = self._key(family, labels)
        if key not in series:
            series[key] = _Distribution(self._sizes if family.sized else family.buckets)
        return series[key]

    def _key(self, family: VllmFamily, labels: tuple[str, ...]) -> str:
        where = (family.name, *labels)
        if where not in self._labels:
            self._labels[where] = _join({**self._base, **dict(zip(family.labels, labels, strict=True))})
        return self._labels[where]


def _join(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escape(value)}"' for name, value in sorted(labels.items()))


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
