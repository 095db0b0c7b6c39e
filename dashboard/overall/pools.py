"""The pools of each fleet: engines wanted and ready, and what they have to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.overall.fleets import Figures, Fleet, Known
from dashboard.promapi import Sample
from stack.metrics.family import Label

NAMES = ("replicas", "routable", "listed", "load", "kv used")
_ORDER = ("prefill", "decode")


@dataclass(frozen=True, slots=True)
class PoolNow:
    """One pool; None where nobody tells. `pool` is empty where engines are known by model alone."""

    fleet: Fleet
    pool: str
    desired: float | None = None
    ready: float | None = None
    listed: float | None = None
    running: float | None = None
    waiting: float | None = None
    kv_used: float | None = None


def pools(found: Known) -> list[PoolNow]:
    """Every pool that anybody tells of, by model, prefill before decode."""
    return [pool for fleet, figures in found.fleets.items() for pool in _of(fleet, figures)]


def _of(fleet: Fleet, figures: Figures) -> list[PoolNow]:
    names = {sample.labels.get(Label.POOL, "") for name in NAMES for sample in figures.get(name, ())}
    return [_pool(fleet, figures, name) for name in sorted(names, key=lambda pool: (pool not in _ORDER, pool == "decode", pool))]


def _pool(fleet: Fleet, figures: Figures, pool: str) -> PoolNow:
    def told(name: str, state: str | None = None) -> float | None:
        return _one(figures.get(name, ()), pool, state)

    ready = told("replicas", "ready")
    return PoolNow(
        fleet=fleet,
        pool=pool,
        desired=told("replicas", "desired"),
        ready=told("routable") if ready is None else ready,
        listed=told("listed"),
        running=told("load", "running"),
        waiting=told("load", "waiting"),
        kv_used=told("kv used"),
    )


def _one(samples: Iterable[Sample], pool: str, state: str | None) -> float | None:
    for sample in samples:
        if sample.labels.get(Label.POOL, "") == pool and (state is None or sample.labels.get(Label.STATE) == state):
            return sample.value
    return None
