"""Points as a Prometheus text exposition.

As prometheus_client writes it, at a third of its cost: thousands of series are written while others wait for their page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.utils import floatToGoString

from exporters.collector import Point
from stack.engines.samples import Histogram
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Label

_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


def render(points: Iterable[Point]) -> bytes:
    """The exposition of `points`: families in the catalogue's order, each series once (the first point counts)."""
    series: dict[str, dict[tuple[str, str], Point]] = {}
    for point in points:
        series.setdefault(point.family.name, {}).setdefault(_around_le(point.labels), point)
    return "".join(line for name in CATALOG if name in series for line in _family(name, series[name])).encode()


def _family(name: str, series: Mapping[tuple[str, str], Point]) -> Iterator[str]:
    family = CATALOG[name]
    told = family.help.replace("\\", r"\\").replace("\n", r"\n")
    yield f"# HELP {name} {told}\n# TYPE {name} {family.kind}\n"
    for (before, after), point in series.items():
        if isinstance(point.value, Histogram):
            yield from _histogram(name, before, after, point.value)
        else:
            yield f"{name}{_braced(before + after)} {_number(point.value)}\n"


def _histogram(name: str, before: str, after: str, value: Histogram) -> Iterator[str]:
    for bound, count in value.buckets or (("+Inf", value.count),):
        within = _braced(f'{before}le="{bound}",{after}')
        yield f"{name}_bucket{within} {_number(count)}\n"
    whole = _braced(before + after)
    yield f"{name}_count{whole} {_number(value.count)}\n{name}_sum{whole} {_number(value.sum)}\n"


def _around_le(labels: Mapping[Label, str]) -> tuple[str, str]:
    """The labels in order, each with a comma behind it: those before `le`, where a bucket has it, and those after."""
    before, after = "", ""
    for label in sorted(labels):
        one = f'{label}="{labels[label].translate(_ESCAPES)}",'
        if label < "le":
            before += one
        else:
            after += one
    return before, after


def _braced(labels: str) -> str:
    return f"{{{labels[:-1]}}}" if labels else ""


def _number(value: float) -> str:
    return str(floatToGoString(value))  # type: ignore[no-untyped-call]  # it has no types
