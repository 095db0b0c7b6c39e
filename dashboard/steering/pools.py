"""How far each pool is from what is desired of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stack.api.schema import StateView
from stack.control.state import ModelState
from stack.fleet.engine import State
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class PoolProgress:
    """One pool of one model: engines desired, and engines there by state."""

    model: str
    pool: Pool
    desired: int
    by_state: dict[State, int]

    @property
    def ready(self) -> int:
        return self.by_state.get(State.READY, 0)

    @property
    def in_place(self) -> int:
        """Engines where they should be: ready, or out of rotation because an operator wants that."""
        return self.ready + self.by_state.get(State.DRAINED, 0)

    @property
    def done(self) -> bool:
        """As many engines in place as desired, and no others."""
        return self.in_place == self.desired == sum(self.by_state.values())

    @property
    def fraction(self) -> float:
        """From 0 to 1: the engines that are where they should be, of all there are or should be."""
        surplus = max(0, sum(self.by_state.values()) - self.desired)
        whole = self.desired + surplus
        return min(self.in_place, self.desired) / whole if whole else 1.0

    @property
    def sentence(self) -> str:
        others = [f"{count} {state.value}" for state, count in sorted(self.by_state.items()) if state is not State.READY]
        return ", ".join([f"{self.ready} of {self.desired} ready", *others])


def progress(state: StateView) -> Iterator[PoolProgress]:
    """Every pool of every model."""
    counts = Counter((engine.model, engine.pool, engine.state) for engine in state.engines)
    for model, wanted in sorted(state.desired.models.items()):
        for pool in Pool:
            by_state = {one: count for one in State if (count := counts[model, pool, one])}
            yield PoolProgress(model, pool, _replicas(wanted, pool), by_state)


def _replicas(wanted: ModelState, pool: Pool) -> int:
    return (wanted.pools.prefill if pool is Pool.PREFILL else wanted.pools.decode).replicas
