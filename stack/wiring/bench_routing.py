"""`kvdeck bench routing`: which workloads, on which fleet, and what is printed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from stack.bench.routing.contest import colocated, contest, disaggregated
from stack.bench.routing.recorded import workload
from stack.bench.routing.scenarios import SCENARIOS
from stack.bench.routing.trial import Setting
from stack.bench.routing.verdict import BEST, Verdict, verdict
from stack.bench.routing.workload import Workload
from stack.emulator.profiles import PROFILES, Profile
from stack.strategies.base import names
from stack.traffic.trace import read

ENGINES = 8
ENGINE_BLOCKS = 5_000
OFF = 0.3  # how far the engines are from what the routers take them for at first
MIXED_PREFILL = 6  # nearly all of the work is in long prompts: fewer could not keep up with them
MIXED_THRESHOLD = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRoutingOptions:
    """`size` is about how many conversations a scenario has (five times as many single requests); `lines` of the trace a seed."""

    scenarios: Sequence[str]
    trace: Path | None
    size: int
    lines: int
    seeds: int
    routers: int


def measure(options: BenchRoutingOptions, told: Callable[[str], None]) -> list[Verdict]:
    """Every workload's verdict, one after the other. Raises TraceError, OSError."""
    return [_measure(name, make, options, told) for name, make in _workloads(options).items()]


def _measure(name: str, make: Callable[[int], Workload], options: BenchRoutingOptions, told: Callable[[str], None]) -> Verdict:
    arms = colocated(names(), ENGINES)
    if name == "mixed":
        arms.append(disaggregated(BEST, ENGINES, MIXED_PREFILL, MIXED_THRESHOLD))
    believed = _believed()
    true = replace(
        believed,
        prefill_tokens_per_second=believed.prefill_tokens_per_second * (1 - OFF),
        l1_tokens_per_second=believed.l1_tokens_per_second * (1 + OFF),
        l2_tokens_per_second=believed.l2_tokens_per_second * (1 + OFF),
    )
    setting = Setting(true, 1.0, believed, decode=ENGINES, routers=options.routers)
    return verdict(contest(make, arms, setting, range(options.seeds), told))


def _believed() -> Profile:
    """Engines with nothing behind them, so that what one of them holds is all there is."""
    return replace(PROFILES["h100-llama8b-tp1"], engine_blocks=ENGINE_BLOCKS + 1, l1_blocks=0, l2_blocks=0)


def _workloads(options: BenchRoutingOptions) -> dict[str, Callable[[int], Workload]]:
    made: dict[str, Callable[[int], Workload]] = {}
    for name in options.scenarios:
        made[name] = lambda seed, name=name: SCENARIOS[name](random.Random(seed), options.size)  # type: ignore[misc]  # its default binds the name
    if options.trace is not None:
        path = options.trace
        made["trace"] = lambda seed: workload(islice(read(path), seed * options.lines, (seed + 1) * options.lines))
    return made
