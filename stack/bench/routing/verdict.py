"""A contest's figures and what they are held against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from stack.bench.quantile import quantile
from stack.bench.routing.contest import Contest, Tally
from stack.bench.routing.sample import Ratio, ratio

BASE, BEST, LEARNT = "round_robin", "kv_aware", "prefix_aware"
LOWER = {"multi_turn": 0.6, "documents": 0.6, "trace": 0.75, "unique": 1.03}
"""kv_aware's TTFT p50 over round_robin's, at most."""
MARGIN = 1.03
LEARNT_MARGIN = 1.1
GAP_RATIO = 0.7
CROWDED = 2.0
_EXPLAINED = frozenset({"most_cached", "longest_prefix", "session_home"})


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One arm. Seconds; shares from 0 to 1; `spread` is the busiest engine's requests over the mean, `crowded_by` why."""

    arm: str
    requests: int
    ttft_p50: float
    ttft_p90: float
    ttft_p99: float
    gap_p99: float
    cached_share: float
    busy: float
    spread: float
    crowded_by: str
    error_p50: float | None
    reasons: Mapping[str, int]


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that should hold. `low` to `high` is where 95 % of resamples lie; None where nothing was drawn."""

    what: str
    value: float
    low: float | None
    high: float | None
    limit: float
    holds: bool


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """All of one workload. Times are a model's: emulated engines in virtual time."""

    workload: str
    requests: int
    conversations_per_second: float
    round_robin_busy: float
    rows: tuple[Row, ...]
    bars: tuple[Bar, ...]
    emulated: bool = True
    virtual_time: bool = True


def verdict(held: Contest) -> Verdict:
    """The figures of `held`, and every bar that its arms allow to judge."""
    return Verdict(
        workload=held.workload,
        requests=held.requests,
        conversations_per_second=held.rate,
        round_robin_busy=held.busy,
        rows=tuple(_row(name, tally) for name, tally in held.tallies.items()),
        bars=tuple(_bars(held)),
    )


def _row(name: str, tally: Tally) -> Row:
    ttft = [value for values in tally.ttft.values() for value in values]
    gaps = [value for values in tally.gaps.values() for value in values]
    return Row(
        arm=name,
        requests=len(ttft),
        ttft_p50=quantile(ttft, 0.5),
        ttft_p90=quantile(ttft, 0.9),
        ttft_p99=quantile(ttft, 0.99),
        gap_p99=quantile(gaps, 0.99),
        cached_share=tally.cached_tokens / tally.prompt_tokens,
        busy=sum(tally.busy) / len(tally.busy),
        spread=tally.spread,
        crowded_by=tally.crowded_by,
        error_p50=quantile(tally.errors, 0.5) if tally.errors else None,
        reasons=dict(tally.reasons.most_common()),
    )


def _bars(held: Contest) -> Iterator[Bar]:
    tallies = held.tallies
    plain = [name for name in tallies if "," not in name]
    if held.workload in LOWER and {BASE, BEST} <= tallies.keys():
        yield _bar("TTFT p50, kv_aware over round_robin", _ttft(tallies, BEST, BASE), LOWER[held.workload])
    for other in plain:
        if other not in (BEST, BASE) and BEST in tallies:
            yield _bar(f"TTFT p50, kv_aware over {other}", _ttft(tallies, BEST, other), MARGIN)
    if {LEARNT, BEST} <= tallies.keys():
        yield _bar("TTFT p50, prefix_aware over kv_aware", _ttft(tallies, LEARNT, BEST), LEARNT_MARGIN)
    for name, tally in tallies.items():
        explained = tally.crowded_by in _EXPLAINED
        what = f"busiest engine over the mean, {name}" + (f" (because: {tally.crowded_by})" if tally.spread > CROWDED else "")
        holds = tally.spread <= CROWDED or explained
        yield Bar(what=what, value=tally.spread, low=None, high=None, limit=CROWDED, holds=holds)
    for name in tallies.keys() - set(plain):
        strategy = name.partition(",")[0]
        gaps = ratio(tallies[name].gaps, tallies[strategy].gaps, 0.99, resamples=40)
        yield _bar(f"gap between tokens p99, {name} over colocated", gaps, GAP_RATIO)


def _ttft(tallies: Mapping[str, Tally], ours: str, theirs: str) -> Ratio:
    return ratio(tallies[ours].ttft, tallies[theirs].ttft, 0.5)


def _bar(what: str, found: Ratio, limit: float) -> Bar:
    """Holds when the figure does: the interval says how sure that is."""
    return Bar(what=what, value=found.value, low=found.low, high=found.high, limit=limit, holds=found.value <= limit)
