"""The running stack as a comparison steers it: an arm is set, and waited for, before anything is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from stack.api.client import ControlClient
from stack.api.schema import StateView
from stack.bench.arm import Arm, Shape
from stack.control.state import ModelState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool

ENGINES_READY_S = 300.0  # a real engine loads its model, compiles and warms up
_LOOK_S = 0.5


class StageError(RuntimeError):
    """The stack cannot be brought to where an arm wants it; the message says why."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One model of a running stack. Changes go through control, as an operator's do, and are in its audit log."""

    control: ControlClient
    model: str
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    def desired(self) -> ModelState:
        """How the model is to be served now. Raises StageError, ControlError."""
        models = self.control.state().desired.models
        if self.model not in models:
            raise StageError(f"control knows no model {self.model!r}; it knows: {', '.join(sorted(models)) or 'none'}")
        return models[self.model]

    async def set(self, arm: Arm, threshold: int) -> None:
        """Serve as `arm` says; returns when every engine is ready and every router follows. Raises StageError, ControlError."""
        self._change(arm.patch(self.desired(), threshold))
        await self._until(arm.shape)

    async def restore(self, before: ModelState) -> None:
        """Back to how it was. Raises StageError, ControlError."""
        self._change(msgspec.to_builtins(before))
        await self._until(Shape(before.pools.prefill.replicas, before.pools.decode.replicas))

    def _change(self, patch: object) -> None:
        generation = self.control.state().generation
        self.control.change({"models": {self.model: patch}}, generation, comment="kvdeck bench live", force=True)

    async def _until(self, shape: Shape) -> None:
        deadline = self.clock() + ENGINES_READY_S
        while (missing := _missing(self.control.state(), self.model, shape)) is not None:
            if self.clock() > deadline:
                raise StageError(f"after {ENGINES_READY_S:.0f} s still {missing}: see `kvdeck status`")
            await self.sleep(_LOOK_S)


def _missing(state: StateView, model: str, shape: Shape) -> str | None:
    """What is not yet as wanted, in words; None when all is."""
    behind = [router.id for router in state.applied.routers if router.live and router.generation != state.generation]
    if behind:
        return f"{', '.join(behind)} behind generation {state.generation}"
    own = [engine for engine in state.engines if engine.model == model]
    if moving := [f"{engine.name} {engine.state}" for engine in own if engine.state is not State.READY]:
        return ", ".join(moving)
    ready = Counter(engine.pool for engine in own if engine.health is Health.READY)
    there = Shape(ready[Pool.PREFILL], ready[Pool.DECODE])
    return None if there == shape else f"{there} engines ready, not {shape}"
