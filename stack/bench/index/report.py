"""What came out, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import quantiles

import msgspec

from stack.bench.index.stream import Burst

LOOKUP_BLOCKS, LOOKUP_ENGINES = 2000, 64


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Times in milliseconds. Updates are blocks stored or removed, from an engine's socket to the index; one core does it all.

    `updates_per_second` is by CPU time of the process, `updates_per_second_wall` by the clock, which other work on the
    machine slows down. `loop_late_ms_*` is how much later than asked for another task of the loop got its turn meanwhile,
    `idle_late_ms_p99` the same with nothing to do. `lookup_seen_ms_*` is for a prompt that was looked up before.
    `bytes_per_block` counts Python's allocations, in the middle and at its highest between two leaps of the dictionaries.
    """

    updates_per_second: float
    updates_per_second_wall: float
    loop_late_ms_p50: float
    loop_late_ms_p99: float
    idle_late_ms_p99: float
    lookup_ms_p50: float
    lookup_ms_p99: float
    lookup_seen_ms_p50: float
    lookup_seen_ms_p99: float
    bytes_per_block: float
    bytes_per_block_highest: float
    lookup_blocks: int = LOOKUP_BLOCKS
    lookup_engines: int = LOOKUP_ENGINES


def report(burst: Burst, lookups: Sequence[float], seen: Sequence[float], memory: Sequence[float]) -> Report:
    """The figures of what was measured; each sequence has at least two values."""
    late, looked, again = _percentiles(burst.late_seconds), _percentiles(lookups), _percentiles(seen)
    return Report(
        updates_per_second=burst.updates / burst.cpu_seconds,
        updates_per_second_wall=burst.updates / burst.wall_seconds,
        loop_late_ms_p50=late[0],
        loop_late_ms_p99=late[1],
        idle_late_ms_p99=_percentiles(burst.idle_seconds)[1],
        lookup_ms_p50=looked[0],
        lookup_ms_p99=looked[1],
        lookup_seen_ms_p50=again[0],
        lookup_seen_ms_p99=again[1],
        bytes_per_block=_percentiles(memory)[0] / 1000,
        bytes_per_block_highest=max(memory),
    )


def lines(made: Report) -> Iterator[str]:
    """The report for a person, a line each."""
    yield f"updates: {made.updates_per_second:,.0f} blocks a second of CPU, from the engine's socket to the index"
    yield f"         {made.updates_per_second_wall:,.0f} a second by the clock"
    yield f"others:  wait {_both(made, 'loop_late')} meanwhile, p99 {made.idle_late_ms_p99:.2f} ms when nothing comes"
    yield f"look-up: {made.lookup_blocks:,} blocks over {made.lookup_engines} engines in {_both(made, 'lookup')}"
    yield f"         {_both(made, 'lookup_seen')} for a prompt that was looked up before"
    yield f"memory:  {made.bytes_per_block:.0f} bytes a block, {made.bytes_per_block_highest:.0f} at most (Python's allocations)"


def _both(made: Report, name: str) -> str:
    return f"{getattr(made, f'{name}_ms_p50'):.2f} ms (p99 {getattr(made, f'{name}_ms_p99'):.2f} ms)"


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The middle and the 99th percentile, times a thousand."""
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49] * 1000, cuts[98] * 1000
