"""What one LMCache says of itself: a multi-process server, one inside an engine, or what keeps an index of several.

Labels that are one a tenant or one a worker (cache_salt, engine_id, worker_id) are summed away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from stack.engines import lmcache_quantities as lq
from stack.engines.exposed import Exposed
from stack.engines.quantities import Quantity
from stack.engines.samples import Samples
from stack.engines.versions import Version

_STARTED = "process_start_time_seconds"
_L2_ADAPTERS = "lmcache_mp_l2_prefetch_adapters"


class Mode(StrEnum):
    """Where an LMCache works, by the names it uses."""

    MULTI_PROCESS = "multi_process"
    IN_PROCESS = "in_process"
    CONTROLLER = "controller"  # of LMCaches inside engines
    COORDINATOR = "coordinator"  # of servers
    SILENT = "silent"  # nothing of LMCache is told yet, as before a first look-up


_TABLES: dict[Mode, tuple[Quantity, ...]] = {
    Mode.MULTI_PROCESS: lq.MULTI_PROCESS,
    Mode.IN_PROCESS: lq.IN_PROCESS,
    Mode.CONTROLLER: lq.CONTROLLER,
    Mode.COORDINATOR: lq.COORDINATOR,
}
_NAMES = {mode: frozenset(name for quantity in table for name in quantity.names) for mode, table in _TABLES.items()}

WANTED_INSIDE = _NAMES[Mode.IN_PROCESS]
"""Every sample name of an LMCache that works inside an engine."""
WANTED = frozenset({_STARTED, _L2_ADAPTERS}).union(*_NAMES.values())
"""Every sample name `read` looks at; a parser may skip all others."""


@dataclass(frozen=True, slots=True)
class TierHits:
    """Tokens of one model that LMCache was asked for, and found in L1 and in L2, cumulative.

    A hit is not a load: whole prompts are looked up, also what the engine holds. L2's hits are those beyond L1's prefix.
    None is what LMCache did not say; `either` is told also where it does not tell L1 and L2 apart.
    """

    requested: float
    l1: float | None
    l2: float | None
    either: float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One LMCache at one moment. `hits` are by model root (the path the engine loaded), `exposed` is all it told.

    `doubts` says of each reason why its other counters may be too low whether it has come about.
    """

    mode: Mode
    started: float | None
    hits: Mapping[str, TierHits]
    has_l2: bool
    doubts: Mapping[str, bool]
    exposed: Exposed


def read(samples: Samples) -> Reading:
    """The reading of one exposition; it is nearly empty before the first look-up."""
    return _reading(samples, next((mode for mode in _TABLES if _tells(samples, mode)), Mode.SILENT))


def inside(samples: Samples) -> Reading | None:
    """The reading of an LMCache that adds its own to an engine's exposition; None where none does."""
    return _reading(samples, Mode.IN_PROCESS) if _tells(samples, Mode.IN_PROCESS) else None


def l1_capacity_bytes(status: object) -> float | None:
    """L1's size in bytes out of the document of a server's `GET /status`, None where it does not say."""
    if not isinstance(status, Mapping) or not isinstance(storage := status.get("storage_manager"), Mapping):
        return None
    usage = storage.get("l1_usage")
    if isinstance(usage, list) and len(usage) == 2 and isinstance(usage[1], int | float) and usage[1] > 0:
        return float(usage[1])
    return None


def _tells(samples: Samples, mode: Mode) -> bool:
    return any(samples.of(name) for name in _NAMES[mode])


def _reading(samples: Samples, mode: Mode) -> Reading:
    exposed = Exposed(samples, _TABLES.get(mode, ()), _version(samples))
    return Reading(
        mode=mode,
        started=samples.total(_STARTED),
        hits=_hits(exposed, mode),
        has_l2=_has_l2(samples),
        doubts={reason: count > 0 for reason, count in exposed.numbers(_DOUBTS.get(mode, {})).items()},
        exposed=exposed,
    )


_DOUBTS: dict[Mode, Mapping[str, Quantity]] = {
    Mode.MULTI_PROCESS: {"events_dropped": lq.DROPPED_EVENTS, "events_uncounted": lq.UNCOUNTED_EVENTS},
    Mode.CONTROLLER: {"index_gaps": lq.INDEX_GAPS},
}


def _hits(exposed: Exposed, mode: Mode) -> dict[str, TierHits]:
    def by_model(quantity: Quantity) -> dict[str, float]:
        return exposed.by("model_name", quantity)

    if mode is Mode.IN_PROCESS:
        found = by_model(lq.INSIDE_FOUND)
        return {root: TierHits(asked, None, None, found.get(root)) for root, asked in by_model(lq.INSIDE_LOOKED_UP).items()}
    if mode is not Mode.MULTI_PROCESS:
        return {}
    l1, l2, either = by_model(lq.FOUND_L1), by_model(lq.FOUND_L2), by_model(lq.FOUND)
    asked = by_model(lq.LOOKED_UP)
    return {root: _told_apart(TierHits(tokens, l1.get(root), l2.get(root), either.get(root))) for root, tokens in asked.items()}


def _told_apart(hits: TierHits) -> TierHits:
    """Hits of which none was in L1 or L2 were not told apart: some releases have the split's counters without filling them."""
    return replace(hits, l1=None, l2=None) if hits.either and not hits.l1 and not hits.l2 else hits


def _has_l2(samples: Samples) -> bool:
    """An L2 adapter is attached; without one, L2's hits are 0 for want of an L2."""
    return samples.by("state", _L2_ADAPTERS).get("active", 0.0) > 0


_ALIASES = [alias for quantity in lq.MULTI_PROCESS for alias in quantity.aliases]
_DATED = {
    since: frozenset(alias.name for alias in _ALIASES if alias.since == since) for since in {alias.since for alias in _ALIASES}
}


def _version(samples: Samples) -> Version | None:
    """The inspected release of a server that names things so, or the next after it; no exposition says its version."""
    told = {since for since, names in _DATED.items() if any(samples.of(name) for name in names)}
    return max(told & {lq.OLD, lq.BETWEEN} if lq.OLD in told else told, default=None)
