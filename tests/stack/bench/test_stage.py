"""An arm is set by control and waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from stack.api.client import ControlClient
from stack.api.schema import Applied, EngineView, RouterView, StateView
from stack.bench.arm import Arm, Shape
from stack.bench.stage import Stage, StageError
from stack.control.state import Desired, ModelState, Pools, PoolState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool

DESIRED = Desired(models={"m": ModelState(strategy="session", pools=Pools(decode=PoolState(replicas=2)))})


def _engine(name: str, pool: Pool = Pool.DECODE, health: Health = Health.READY, state: State = State.READY) -> EngineView:
    return EngineView(name=name, model="m", pool=pool, url=None, state=state, health=health, in_flight=0)


def _view(*engines: EngineView, applied: int = 2) -> StateView:
    routers = (
        RouterView(id="router-0", generation=applied, age_seconds=0.1),
        RouterView(id="gone", generation=0, age_seconds=99, live=False),
    )
    return StateView(generation=2, desired=DESIRED, applied=Applied(routers=routers), engines=engines)


class _Control:
    """Control whose state is the next of a list each time it is asked, the last one for ever."""

    def __init__(self, *views: StateView) -> None:
        self.views = list(views)
        self.patches: list[object] = []

    def state(self) -> StateView:
        return self.views.pop(0) if len(self.views) > 1 else self.views[0]

    def change(self, patch: object, generation: int, *, comment: str, force: bool) -> None:
        self.patches.append(patch)


async def _at_once(seconds: float) -> None:
    pass


def _stage(control: _Control, clock: Iterator[float]) -> Stage:
    return Stage(cast(ControlClient, control), "m", lambda: next(clock), _at_once)


async def test_an_arm_is_set_once_every_router_follows_and_every_engine_is_ready() -> None:
    starting = _view(_engine("d0"), _engine("d1", state=State.JOINING, health=Health.NOT_READY))
    ready = _view(_engine("d0"), _engine("d1"))
    control = _Control(ready, ready, _view(_engine("d0"), _engine("d1"), applied=1), starting, ready)
    arm = Arm(Shape(0, 2), "chat", "kv_aware")
    await _stage(control, iter(range(9))).set(arm, 512)
    assert control.patches == [{"models": {"m": arm.patch(DESIRED.models["m"], 512)}}]
    assert control.views == [ready]  # it looked on until then: past a router that was behind, and an engine that was starting


async def test_engines_that_never_become_ready_are_named() -> None:
    control = _Control(_view(_engine("d0"), _engine("d1", state=State.DRAINING)))
    with pytest.raises(StageError, match="d1 draining"):
        await _stage(control, iter((0.0, 1.0, 1000.0))).set(Arm(Shape(0, 1), "chat", "kv_aware"), 512)


async def test_everything_is_put_back() -> None:
    control = _Control(_view(_engine("d0"), _engine("d1")))
    stage = _stage(control, iter(range(9)))
    await stage.restore(stage.desired())
    assert control.patches[0]["models"]["m"]["strategy"] == "session"  # type: ignore[index]


def test_a_model_that_control_does_not_know_is_an_error_that_names_what_it_knows() -> None:
    stage = Stage(cast(ControlClient, _Control(_view())), "other", lambda: 0.0, _at_once)
    with pytest.raises(StageError, match="'other'; it knows: m"):
        stage.desired()
