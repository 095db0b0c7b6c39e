"""Whether the fleet is well, in one line and with every reason why not, from what control and Prometheus say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dashboard.overall.firing import CRITICAL, INFO, WARNING, Alarms, names
from dashboard.overall.pools import PoolNow
from stack.api.schema import StateView
from stack.fleet.engine import Health, State
from stack.model.tier import Pool


class Level(StrEnum):
    """In the order they matter."""

    BAD = "bad"
    WARNING = "warning"
    WELL = "well"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`headline` is the answer, `detail` the further reasons and what else there is to know."""

    level: Level
    headline: str
    detail: str


Reason = tuple[Level, str]
_DRIFTS = 3  # in words; the page Control has all


def verdict(state: StateView | None, alarms: Alarms, pools: Sequence[PoolNow], *, steered: bool) -> Verdict:
    """Bad: nobody can decode, or something critical fires. Warning: anything else that is not as it should be, or unknown.

    `state` is None where control does not tell, `steered` whether there should be a control that does. `pools` are what
    Prometheus knows.
    """
    reasons = sorted(_reasons(state, alarms, pools, steered), key=lambda reason: list(Level).index(reason[0]))
    about = [_engines(state, pools), *_told_besides(alarms)]
    if not reasons:
        alone = "" if steered else " As far as Prometheus alone can tell."
        fires = "" if alarms.firing(INFO) else "No alert fires."
        return Verdict(Level.WELL, "The fleet is well.", " ".join(filter(None, [*about, f"{fires}{alone}".strip()])))
    (level, headline), *others = reasons
    return Verdict(level, headline, " ".join([*(text for _, text in others), *about]))


def _reasons(state: StateView | None, alarms: Alarms, pools: Sequence[PoolNow], steered: bool) -> Iterator[Reason]:
    yield from _undecoded(_decoding(pools) if state is None else _of_models(state))
    if critical := alarms.firing(CRITICAL):
        yield Level.BAD, f"Critical: {names(critical)}."
    if warning := alarms.firing(WARNING):
        yield Level.WARNING, f"Firing: {names(warning)}."
    if state is not None:
        yield from _of_control(state)
    elif steered:
        yield Level.WARNING, "Control does not answer: whether all is as desired is unknown."
    elif not pools:
        yield Level.WARNING, "No engine is known."
    if alarms.doubt:
        known = "whether an alert fires" if not alarms.alerts else "whether another alert fires"
        yield Level.WARNING, f"It is unknown {known}: {alarms.doubt}."


def _of_control(state: StateView) -> Iterator[Reason]:
    if state.drift:
        told = " ".join(f"{drift.field}: {drift.reason}." for drift in state.drift[:_DRIFTS])
        more = f" And {len(state.drift) - _DRIFTS} more." if len(state.drift) > _DRIFTS else ""
        yield Level.WARNING, f"Not yet as desired: {told}{more}"
    if not any(router.live for router in state.applied.routers):
        yield Level.WARNING, "No router reports to control: whether requests are served is unknown."
    ready = _ready(state)
    if ready < len(state.engines):
        yield Level.WARNING, f"{len(state.engines) - ready} of {len(state.engines)} engines are not ready."


def _undecoded(ready: Mapping[str, float]) -> Iterator[Reason]:
    """Whose decode engines none is ready, of how many are by fleet: one that is well makes up for no other."""
    idle = [fleet for fleet, count in ready.items() if not count]
    if idle:
        yield Level.BAD, f"No decode engine{'' if len(idle) == len(ready) else f' of {names(idle)}'} is ready."


def _of_models(state: StateView) -> Mapping[str, float]:
    """As control has them; it is told of one that has no decode engine where it should have, or where nobody has any."""
    known = {engine.model for engine in state.engines if engine.pool is Pool.DECODE}
    wanted = {name for name, model in state.desired.models.items() if model.pools.of(Pool.DECODE).replicas}
    ready = {model: float(_ready(state, model, Pool.DECODE)) for model in sorted(known | wanted)}
    return ready or {"": 0.0}


def _decoding(pools: Sequence[PoolNow]) -> Mapping[str, float]:
    """As Prometheus has them, where it does; a pool that should be empty is."""
    return {
        pool.fleet.site.named(pool.fleet.model): pool.ready
        for pool in pools
        if pool.pool == Pool.DECODE and pool.ready is not None and pool.desired != 0
    }


def _ready(state: StateView, model: str | None = None, pool: Pool | None = None) -> int:
    engines = (engine for engine in state.engines if model in (None, engine.model) and pool in (None, engine.pool))
    return sum(engine.state is State.READY and engine.health is Health.READY for engine in engines)


def _told_besides(alarms: Alarms) -> Iterable[str]:
    if info := alarms.firing(INFO):
        yield f"To note: {names(info)}."
    if alarms.held_back:
        yield f"Alerts: {alarms.held_back}."


def _engines(state: StateView | None, pools: Sequence[PoolNow]) -> str:
    if state is None:
        listed = Counter[str]()
        for pool in pools:
            listed[pool.pool or "of any role"] += int(pool.ready or 0 if pool.listed is None else pool.listed)
        parts = [f"{count} {pool}" for pool, count in sorted(listed.items()) if count]
        return f"Engines: {', '.join(parts)}." if parts else "The engines' states are unknown."
    counts = Counter((engine.pool.value, engine.state.value) for engine in state.engines)
    parts = [f"{count} {pool} {state}" for (pool, state), count in sorted(counts.items())]
    emulated = " (emulated)" if any(engine.emulated for engine in state.engines) else ""
    return f"Engines: {', '.join(parts)}{emulated}." if parts else "No engine is listed."
