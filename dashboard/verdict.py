"""Whether the fleet is well, in one line, from what control and Prometheus say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from stack.api.schema import StateView
from stack.fleet.engine import Health, State
from stack.model.tier import Pool


class Level(StrEnum):
    WELL = "well"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`headline` is the answer, `detail` the reason."""

    level: Level
    headline: str
    detail: str


def verdict(state: StateView, firing: Sequence[str] | None) -> Verdict:
    """Bad: nobody can decode. Warning: an alert fires, or something is not as desired. Unknown is not well.

    `firing` are alerts by name; None when nobody can say.
    """
    ready = [engine for engine in state.engines if engine.state is State.READY and engine.health is Health.READY]
    if not any(engine.pool is Pool.DECODE for engine in ready):
        return Verdict(Level.BAD, "No decode engine is ready.", _engines(state))
    if firing:
        return Verdict(Level.WARNING, f"Firing: {', '.join(sorted(set(firing)))}.", _engines(state))
    if state.drift:
        return Verdict(Level.WARNING, "Not yet as desired.", " ".join(f"{d.field}: {d.reason}." for d in state.drift))
    if not any(router.live for router in state.applied.routers):
        return Verdict(Level.WARNING, "No router reports to control.", "Whether requests are served is unknown.")
    if len(ready) < len(state.engines):
        return Verdict(Level.WARNING, "Some engines are not ready.", _engines(state))
    if firing is None:
        return Verdict(Level.WARNING, "The engines are ready; whether an alert fires is unknown.", _engines(state))
    return Verdict(Level.WELL, "The fleet is well.", f"{_engines(state)} No alert fires.")


def _engines(state: StateView) -> str:
    counts = Counter((engine.pool.value, engine.state.value) for engine in state.engines)
    parts = [f"{count} {pool} {state}" for (pool, state), count in sorted(counts.items())]
    emulated = " (emulated)" if any(engine.emulated for engine in state.engines) else ""
    return f"Engines: {', '.join(parts)}{emulated}." if parts else "No engine is listed."
