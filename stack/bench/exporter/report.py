"""What came out, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median, quantiles

import msgspec


class Named(msgspec.Struct, frozen=True):
    """Models that clients named, and values of the label that came of it."""

    models: int
    values: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`cpu_seconds` is one collection of all targets, the median of several; `page_ms_*` are with the cache on, asked beside it.

    `growth_ratio` is the resident memory after the last collection to that after the first tenth of them.
    """

    targets: int
    bytes_per_target: int
    collections: int
    cpu_seconds: float
    cpu_seconds_highest: float
    series: int
    page_ms_p50: float
    page_ms_p99: float
    pages: int
    resident_mb: float
    growth_ratio: float
    named: Named


def report(
    targets: int,
    size: int,
    cpu: Sequence[float],
    series: int,
    pages: Sequence[float],
    resident: Sequence[float],
    cached_mb: float,
    named: Named,
) -> Report:
    """The figures of what was measured: `cpu` (s) and `resident` (MB) of each collection, `pages` (s) of two pages at least."""
    cuts = quantiles(pages, n=100, method="inclusive")
    early = resident[len(resident) // 10]
    return Report(
        targets=targets,
        bytes_per_target=size,
        collections=len(cpu),
        cpu_seconds=median(cpu),
        cpu_seconds_highest=max(cpu),
        series=series,
        page_ms_p50=1000 * cuts[49],
        page_ms_p99=1000 * cuts[98],
        pages=len(pages),
        resident_mb=max(*resident, cached_mb),
        growth_ratio=resident[-1] / early,
        named=named,
    )


def lines(made: Report) -> Iterator[str]:
    """The report for people."""
    yield f"{made.targets} targets of {made.bytes_per_target / 1000:.0f} kB each, {made.series:,} series shown"
    cpu = f"{made.cpu_seconds:.2f} s of CPU (highest {made.cpu_seconds_highest:.2f})"
    yield f"one collection      {cpu}, median of {made.collections}"
    yield f"its page, cached    {made.page_ms_p50:.1f} ms p50, {made.page_ms_p99:.1f} ms p99 of {made.pages}"
    yield f"memory              {made.resident_mb:.0f} MB at most, {made.growth_ratio:.2f} times what it was after a tenth of that"
    yield f"models              {made.named.models:,} that clients named make {made.named.values:,} values"
