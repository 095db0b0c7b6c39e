"""The figures of what was measured."""

from __future__ import annotations

from stack.bench.index.report import Report, lines, report
from stack.bench.index.stream import Burst

MADE = report(Burst(1000, 0.01, 0.02, [0.001] * 100, [0.0002] * 9), [0.0005] * 100, [0.0003] * 100, [150.0, 160.0, 200.0])


def test_times_are_milliseconds_and_rates_by_cpu_and_by_the_clock() -> None:
    assert (
        Report(
            updates_per_second=100_000.0,
            updates_per_second_wall=50_000.0,
            loop_late_ms_p50=1.0,
            loop_late_ms_p99=1.0,
            idle_late_ms_p99=0.2,
            lookup_ms_p50=0.5,
            lookup_ms_p99=0.5,
            lookup_seen_ms_p50=0.3,
            lookup_seen_ms_p99=0.3,
            bytes_per_block=160.0,
            bytes_per_block_highest=200.0,
        )
        == MADE
    )


def test_a_person_reads_the_same() -> None:
    assert list(lines(MADE)) == [
        "updates: 100,000 blocks a second of CPU, from the engine's socket to the index",
        "         50,000 a second by the clock",
        "others:  wait 1.00 ms (p99 1.00 ms) meanwhile, p99 0.20 ms when nothing comes",
        "look-up: 2,000 blocks over 64 engines in 0.50 ms (p99 0.50 ms)",
        "         0.30 ms (p99 0.30 ms) for a prompt that was looked up before",
        "memory:  160 bytes a block, 200 at most (Python's allocations)",
    ]
