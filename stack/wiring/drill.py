"""`kvdeck drill`: finds the running stack, plays drills on it, and puts everything back."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import httpx

import stack.drill.drills  # noqa: F401  # importing it registers every drill
from stack.adapters.supervisor_link import ComponentState
from stack.drill.drill import Drill, DrillError, drills
from stack.drill.local_scene import LocalScene
from stack.drill.monitoring import Monitoring
from stack.drill.quick import Pace, Patience
from stack.drill.trial import Outcome, Trial
from stack.local.home import home_layout
from stack.local.install.holding import held
from stack.wiring.running_stack import RunningStack

NEEDED = ("router", "control", "exporter", "prometheus", "alertmanager")
# A drill has as many requests out as it takes, and must be able to look at alerts all the same.
UNLIMITED = httpx.Limits(max_connections=None)


@dataclass(frozen=True, slots=True)
class Played:
    """What became of the drills; `skipped` names those that need real engines."""

    outcomes: tuple[Outcome, ...]
    skipped: tuple[str, ...]


async def play(chosen: Sequence[Drill], everything: bool, pace: Pace, say: Callable[[str], None]) -> Played:
    """Plays each of `chosen`; with `everything` those that this stack cannot show are skipped, else they are refused.

    Raises DrillError, StackNotReadyError, SupervisorUnavailableError. A SIGTERM mends what is broken, as Ctrl-C does.
    """
    layout = home_layout()
    with held(layout.state / "drill.lock", _refuse), _ended_by(signal.SIGTERM):
        running = await RunningStack.find(layout, NEEDED, lambda names: say(f"waiting for {names}"))
        fit = tuple(one for one in chosen if one.emulated or not running.emulated)
        skipped = tuple(one.name for one in chosen if one not in fit)
        if skipped and not everything:
            raise DrillError(f"{', '.join(skipped)} needs real engines, which this stack has none of: `kvdeck up`")
        async with running.traffic_held(), httpx.AsyncClient(trust_env=False, limits=UNLIMITED) as http:
            return Played(await _played(running, http, fit, pace, say), skipped)


async def _played(
    running: RunningStack, http: httpx.AsyncClient, chosen: Sequence[Drill], pace: Pace, say: Callable[[str], None]
) -> tuple[Outcome, ...]:
    model = running.targets[0].model
    scene = LocalScene(running.layout, http, dict(running.urls), running.targets, model, time.monotonic, asyncio.sleep)
    monitoring = await _monitoring(running, http, scene)
    watch = _Watch(scene, monitoring, pace, await _serving(scene))
    async with monitoring.at(pace) as rules:
        trial = Trial(watch=watch, patience=Patience(rules), say=say, clock=time.monotonic, sleep=asyncio.sleep)
        return tuple([await trial.play(drill, scene) for drill in chosen])


async def _monitoring(running: RunningStack, http: httpx.AsyncClient, scene: LocalScene) -> Monitoring:
    pids = {component.name: component.pid for component in await scene.components()}
    pid = pids["prometheus"]
    if pid is None:
        raise DrillError("Prometheus has just ended: see `kvdeck status`")
    state = running.layout.state
    return Monitoring(
        http=http,
        prometheus=running.urls["prometheus"],
        alertmanager=running.urls["alertmanager"],
        reload=partial(os.kill, pid, signal.SIGHUP),
        configuration=state / "prometheus" / "prometheus.yml",
        rules=running.layout.alerts / "rules",
        folder=state / "prometheus" / "quick_rules",
        clock=time.monotonic,
        sleep=asyncio.sleep,
    )


async def _serving(scene: LocalScene) -> frozenset[str]:
    return frozenset(one.name for one in await scene.components() if one.state is ComponentState.READY)


@dataclass(frozen=True, slots=True)
class _Watch:
    """`served`: what of the stack was ready before."""

    scene: LocalScene
    monitoring: Monitoring
    pace: Pace
    served: frozenset[str]

    async def firing(self) -> Mapping[str, str]:
        return await self.monitoring.firing(self.pace)

    async def away(self) -> tuple[str, ...]:
        unseen = {replica for replica, up in (await self.monitoring.up()).items() if not up}
        return tuple(sorted((self.served - await _serving(self.scene)) | unseen))


def _refuse() -> None:
    raise DrillError("another drill is under way here")


@contextmanager
def _ended_by(number: signal.Signals) -> Iterator[None]:
    """Cancels this task on the signal."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(number)


def named(name: str) -> Drill:
    """The drill of that name. Raises DrillError, which lists them all."""
    found = next((one for one in drills() if one.name == name), None)
    if found is None:
        raise DrillError(f"no drill {name!r}; there are: {', '.join(one.name for one in drills())}")
    return found
