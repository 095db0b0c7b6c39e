"""What was measured, what is promised, and what of it does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import msgspec

from stack.bench.quantile import quantile

LARGE = 200  # engines; from here on a fleet is a large one
PAINT_S, PAINT_LARGE_S = 1.5, 2.5
REFRESH_P95_S = 0.5
CORE_SHARE = 0.7
RESIDENT_MB = 600.0
TOLD_S = 3.0
QUERIES = 12
REFRESHED_LEAST = 0.9  # of the refreshes that were due: or the pages were kept waiting, and what they cost says little


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds; of nothing there is no Times."""

    median: float
    p95: float
    most: float
    count: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times | None:
        if not seconds:
            return None
        return cls(median=median(seconds), p95=quantile(seconds, 0.95), most=max(seconds), count=len(seconds))

    def __str__(self) -> str:
        return f"median {self.median:.2f} s, p95 {self.p95:.2f} s, at most {self.most:.2f} s of {self.count}"


class Paint(msgspec.Struct, frozen=True, kw_only=True):
    """From the navigation's start to the verdict and the numbers: with an empty and with a filled browser cache.

    `first` is the very first session of the dashboard's process.
    """

    first: float
    cold: Times | None
    warm: Times | None


class Refreshing(msgspec.Struct, frozen=True, kw_only=True):
    """One page left open. `bytes` came to the browser for a refresh, in the middle."""

    took: Times | None
    bytes: float


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """Pages open at once. `core_share` of one core and `resident_mb` are the dashboard's; `refreshed` of what was due."""

    open: int
    seconds: float
    core_share: float
    resident_mb: float
    refreshed: float


class Away(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds until a page said that Prometheus is away, and until another one was there on a click; None: it never came."""

    told: float | None
    clicked: float | None


class Queries(msgspec.Struct, frozen=True, kw_only=True):
    """Of one page. `most` to Prometheus in one refresh; `seconds` is what Prometheus needed for them; those that name an engine."""

    most: int
    seconds: float
    engines: Sequence[str]


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """All that was measured before one fleet; `missing` says why something was not."""

    engines: int
    paint: Paint
    refresh: Refreshing | None
    sessions: Sessions | None
    hung: Away | None
    down: Away | None
    queries: Mapping[str, Queries]
    missing: Sequence[str] = ()

    @property
    def paint_bar(self) -> float:
        """Seconds."""
        return PAINT_LARGE_S if self.engines >= LARGE else PAINT_S


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run; `others` is the share of the machine's CPU that everything else had meanwhile."""

    fleets: Sequence[Fleet]
    others: float

    @property
    def faults(self) -> list[str]:
        """What does not hold of what is promised, in words; empty when everything holds."""
        return [f"{fleet.engines} engines: {fault}" for fleet in self.fleets for fault in _faults(fleet)]


def _faults(fleet: Fleet) -> Iterator[str]:
    for cache, times in (("cold", fleet.paint.cold), ("warm", fleet.paint.warm)):
        yield from _above(f"first useful paint, {cache} cache", times.median if times else None, fleet.paint_bar, "s")
    took = fleet.refresh.took if fleet.refresh else None
    yield from _above("a refresh, p95", took.p95 if took else None, REFRESH_P95_S, "s")
    if (sessions := fleet.sessions) is not None:
        yield from _above(f"{sessions.open} sessions, share of a core", sessions.core_share, CORE_SHARE, "")
        yield from _above(f"{sessions.open} sessions, resident", sessions.resident_mb, RESIDENT_MB, "MB")
        if sessions.refreshed < REFRESHED_LEAST:
            yield f"{sessions.open} sessions: {sessions.refreshed:.0%} of the refreshes that were due came"
    for how, away in (("hung", fleet.hung), ("down", fleet.down)):
        if away is not None:
            yield from _above(f"Prometheus {how}: until the page says so", away.told, TOLD_S, "s")
            yield from _above(f"Prometheus {how}: until another page is there", away.clicked, TOLD_S, "s")
    yield from (f"not measured: {why}" for why in fleet.missing)
    for page, queries in fleet.queries.items():
        yield from _above(f"queries of {page} in a refresh", float(queries.most), QUERIES, "")
        if queries.engines:
            yield f"{page} asks Prometheus of one engine: {queries.engines[0]}"


def _above(what: str, value: float | None, bar: float, unit: str) -> Iterator[str]:
    if value is None:
        yield f"{what}: never seen"
    elif value > bar:
        yield f"{what}: {value:.2f} {unit}".rstrip() + f", not {bar:g} at most"
