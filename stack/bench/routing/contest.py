"""Strategies against each other: the same requests, the same fleet, several seeds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stack.bench.routing.load import BUSY, rate_for
from stack.bench.routing.trial import Asked, Ran, Setting, run
from stack.bench.routing.workload import Workload
from stack.control.state import Dpd, ModelState

WARM_UP = 0.2  # of the conversations: caches fill and rates are learnt; every strategy has the same ones


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to serve: a name for the table, how the model is served, and engines by pool (decode does both without prefill)."""

    name: str
    state: ModelState
    prefill: int = 0
    decode: int = 8


@dataclass(slots=True)
class Tally:
    """What one arm's requests were, over all seeds, less those of the warm-up. Seconds by conversation."""

    ttft: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    gaps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    busy: list[float] = field(default_factory=list)
    spread: float = 0.0
    crowded_by: str = ""

    def add(self, seed: int, ran: Ran, late: frozenset[str]) -> None:
        """One seed's run; `late` names the conversations that count."""
        counted = [asked for asked in ran.asked if asked.session in late]
        for asked in counted:
            self._count(f"{seed} {asked.session}", asked)
        self.busy.append(ran.mean_busy)
        engines = Counter(asked.record.engine for asked in counted)
        name, most = engines.most_common(1)[0]
        spread = most * len(engines) / engines.total()
        if spread > self.spread:
            reasons = Counter(asked.record.decode.reason for asked in counted if asked.record.engine == name)
            self.spread, self.crowded_by = spread, reasons.most_common(1)[0][0]

    def _count(self, name: str, asked: Asked) -> None:
        record = asked.record
        self.ttft[name].append(asked.ttft)
        self.gaps[name] += asked.gaps
        self.reasons[record.decode.reason] += 1
        self.prompt_tokens += record.prompt_tokens
        cached = record.cached_tokens if record.prefill_engine is None else record.prefill_cached_tokens
        self.cached_tokens += cached or 0
        if record.decode.predicted_ttft_seconds is not None and record.prefill_engine is None:
            self.errors.append(asked.ttft - record.decode.predicted_ttft_seconds)


@dataclass(frozen=True, slots=True)
class Contest:
    """What came of it. `rate` is conversations a second, at which the yardstick's engines were `busy`."""

    workload: str
    requests: int
    rate: float
    busy: float
    tallies: dict[str, Tally]


def contest(
    make: Callable[[int], Workload], arms: Sequence[Arm], setting: Setting, seeds: Sequence[int], told: Callable[[str], None]
) -> Contest:
    """Every arm on every seed's workload, at the rate that the first one asks for. `told` hears what is done."""
    workloads = {seed: make(seed) for seed in seeds}
    first = workloads[seeds[0]]
    told(f"{first.name}: looking for the load at which round_robin is {BUSY:.0%} busy")
    rate, busy = rate_for(first, setting)
    tallies = {arm.name: Tally() for arm in arms}
    for seed, workload in workloads.items():
        late = frozenset(c.session for c in workload.conversations[int(len(workload.conversations) * WARM_UP) :])
        for arm in arms:
            told(f"{workload.name}: {arm.name}, seed {seed}")
            fleet = replace(setting, rate=rate, prefill=arm.prefill, decode=arm.decode)
            tallies[arm.name].add(seed, run(workload, fleet, arm.state), late)
    return Contest(first.name, sum(workload.requests for workload in workloads.values()), rate, busy, tallies)


def colocated(strategies: Sequence[str], engines: int) -> list[Arm]:
    """Each strategy with every engine doing both."""
    return [Arm(name, ModelState(strategy=name, dpd=Dpd(enabled=False), shadow_share=0.0), decode=engines) for name in strategies]


def disaggregated(strategy: str, engines: int, prefill: int, threshold: int) -> Arm:
    """`strategy` with `prefill` of the engines computing prompts of at least `threshold` uncached tokens for the others."""
    dpd = Dpd(enabled=True, routing_threshold=threshold, min_uncached_tokens=threshold)
    name = f"{strategy}, {prefill} prefill + {engines - prefill} decode"
    return Arm(name, ModelState(strategy=strategy, dpd=dpd, shadow_share=0.0), prefill, engines - prefill)
