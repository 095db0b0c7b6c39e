"""What came out: medians over rounds, ratios within them. A run with errors gives no figure, and no figure is None."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from stack.bench.router.setting import Setting
from stack.bench.router.subjects import Subject


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One subject in one round. None: not measured, or with errors.

    `cpu_us_per_request` is the CPU time of the router's processes; the latencies were taken at one connection, and
    what talking to the back end directly took in the same round is subtracted.
    """

    requests_per_second: float | None = None
    cpu_us_per_request: float | None = None
    added_p50_ms: float | None = None
    added_p99_ms: float | None = None
    errors: int = 0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One subject over all rounds: medians, and the rounds themselves.

    Both ratios say how many times better than the yardstick it is: by requests a second, and by CPU time a request, which a
    machine that does other things, too, blurs less.
    """

    name: str
    package: str
    version: str
    requests_per_second: float | None
    ratio_to_cache_aware: float | None
    cpu_us_per_request: float | None
    cpu_ratio_to_cache_aware: float | None
    added_p50_ms: float | None
    added_p99_ms: float | None
    errors: int
    rounds: list[Round]


class Streams(msgspec.Struct, frozen=True, kw_only=True):
    """Many streams at once: gaps between tokens at the client, directly and through our router, medians over rounds."""

    streams: int
    tokens_per_second_each: float
    direct_itl_p50_ms: float | None
    direct_itl_p99_ms: float | None
    router_itl_p50_ms: float | None
    router_itl_p99_ms: float | None
    router_cpu_share: float | None
    errors: int

    @property
    def added_p50_ms(self) -> float | None:
        return difference(self.router_itl_p50_ms, self.direct_itl_p50_ms)

    @property
    def added_p99_ms(self) -> float | None:
        return difference(self.router_itl_p99_ms, self.direct_itl_p99_ms)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole benchmark. The first figures are our router's with `prefix_aware`; None is unknown.

    `workers_throughput_ratio` is that of several workers to one.
    `direct_requests_per_second` is what load and back end do without a router, `other_processes_share` what of all
    cores' time others took meanwhile; `missing` says why a router was not measured.
    """

    throughput_ratio_to_cache_aware: float | None
    added_latency_p50_ms: float | None
    added_latency_p99_ms: float | None
    added_itl_p50_ms: float | None
    added_itl_p99_ms: float | None
    workers_throughput_ratio: float | None
    setting: Setting
    direct_requests_per_second: float | None
    other_processes_share: float
    missing: dict[str, str]
    routers: list[Row]
    streams: Streams | None

    @property
    def errors(self) -> int:
        """Requests that failed while something was measured."""
        return sum(row.errors for row in self.routers) + (self.streams.errors if self.streams else 0)


def report(
    setting: Setting,
    ours: Row,
    several: Row | None,
    routers: list[Row],
    direct: Sequence[float],
    neighbours: float,
    streams: Streams | None,
    missing: dict[str, str],
) -> Report:
    """The report on `routers`: `ours` is among them, and `several` of its workers if those were measured."""
    return Report(
        throughput_ratio_to_cache_aware=ours.ratio_to_cache_aware,
        added_latency_p50_ms=ours.added_p50_ms,
        added_latency_p99_ms=ours.added_p99_ms,
        added_itl_p50_ms=None if streams is None else streams.added_p50_ms,
        added_itl_p99_ms=None if streams is None else streams.added_p99_ms,
        workers_throughput_ratio=None if several is None else middle(map(_faster, several.rounds, ours.rounds)),
        setting=setting,
        direct_requests_per_second=middle(direct),
        other_processes_share=neighbours,
        missing=missing,
        routers=routers,
        streams=streams,
    )


def row(subject: Subject, rounds: Sequence[Round], yardstick: Sequence[Round] | None) -> Row:
    """The medians of `rounds`; a ratio is the median of the ratios to `yardstick` in the same round.

    Within a round both ran within seconds of each other, so that what else the machine does hits both.
    """
    base = yardstick or ()
    return Row(
        name=subject.name,
        package=subject.package,
        version=subject.version,
        requests_per_second=middle(each.requests_per_second for each in rounds),
        ratio_to_cache_aware=middle(map(_faster, rounds, base)),
        cpu_us_per_request=middle(each.cpu_us_per_request for each in rounds),
        cpu_ratio_to_cache_aware=middle(map(_cheaper, rounds, base)),
        added_p50_ms=middle(each.added_p50_ms for each in rounds),
        added_p99_ms=middle(each.added_p99_ms for each in rounds),
        errors=sum(each.errors for each in rounds),
        rounds=list(rounds),
    )


def middle(values: Iterable[float | None]) -> float | None:
    """The median of what is known; None of nothing."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def difference(value: float | None, base: float | None) -> float | None:
    """None unless both are known."""
    return None if value is None or base is None else value - base


def _faster(one: Round, yardstick: Round) -> float | None:
    return _ratio(one.requests_per_second, yardstick.requests_per_second)


def _cheaper(one: Round, yardstick: Round) -> float | None:
    return _ratio(yardstick.cpu_us_per_request, one.cpu_us_per_request)


def _ratio(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else value / base
