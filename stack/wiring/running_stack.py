"""The stack that runs on this machine, as commands that play on it find it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from stack.adapters.exposition import ExpositionError, fetch
from stack.adapters.supervisor_link import Component, ComponentState, SupervisorRequest, ask
from stack.adapters.target_file import TargetFile
from stack.config import Layout
from stack.metrics import catalog
from stack.model.target import Target

LOOK_SECONDS = 0.5
# An engine takes 20 to 90 s from its start, several times that on a slow and busy machine.
READY_WITHIN_SECONDS = 600.0
LAST_ANSWERS_SECONDS = 60.0
# Nobody is served worse without them.
ONLOOKERS = frozenset({"traffic", "dashboard", "prometheus", "alertmanager"})


class StackNotReadyError(RuntimeError):
    """The running stack cannot be played on now; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Where its parts are, and what engines it has."""

    layout: Layout
    urls: Mapping[str, str]
    targets: Sequence[Target]
    has_traffic: bool

    @classmethod
    async def find(cls, layout: Layout, needed: Sequence[str], on_wait: Callable[[str], None] = lambda names: None) -> RunningStack:
        """The stack with its `needed` parts, once all that is starting serves; `on_wait` is told what is waited for.

        A cache server that is only just coming back would make a prompt look lost. Raises StackNotReadyError,
        SupervisorUnavailableError.
        """
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while starting := _starting(components := await _components(layout)):
            if time.monotonic() > deadline:
                raise StackNotReadyError(f"{starting} not ready after {READY_WITHIN_SECONDS:.0f} s: `kvdeck status` tells more")
            on_wait(starting)
            await asyncio.sleep(LOOK_SECONDS)
        ready = {component.name: component for component in components if component.state is ComponentState.READY}
        if away := [*_away(components), *(name for name in needed if name not in ready)]:
            raise StackNotReadyError(f"{', '.join(away)} not ready: `kvdeck up` starts the stack, `kvdeck status` tells")
        urls = {name: component.url for name, component in ready.items() if component.url}
        return cls(layout, urls, TargetFile(layout.targets).changed() or [], "traffic" in ready)

    @property
    def emulated(self) -> bool:
        """Some engine is: its times are a model's."""
        return any(target.emulated for target in self.targets)

    @asynccontextmanager
    async def traffic_held(self) -> AsyncIterator[None]:
        """The stack's own traffic is held meanwhile: it would blur the numbers. Raises StackNotReadyError."""
        if self.has_traffic:
            await self._tell_traffic("stop")
        try:
            if self.has_traffic:
                await self._last_answers()
            yield
        finally:
            if self.has_traffic:
                await self._tell_traffic("start")

    async def _tell_traffic(self, op: str) -> None:
        answer = await ask(self.layout.supervisor_socket, SupervisorRequest(op=op, name="traffic"), timeout_seconds=30)
        if answer.error is not None:
            raise StackNotReadyError(f"the supervisor did not {op} the traffic: {answer.error}")

    async def _last_answers(self) -> None:
        deadline = time.monotonic() + LAST_ANSWERS_SECONDS
        while in_flight := await self._in_flight():
            if time.monotonic() > deadline:
                raise StackNotReadyError(f"{in_flight:.0f} requests of others are under way: the stack is needed for itself")
            await asyncio.sleep(LOOK_SECONDS)

    async def _in_flight(self) -> float:
        """Requests that the router has with engines; it tells of none before there was one."""
        name = catalog.ROUTER_IN_FLIGHT.name
        try:
            async with asyncio.timeout(10), httpx.AsyncClient(trust_env=False) as http:
                samples = await fetch(http, f"{self.urls['router']}/metrics", frozenset({name}))
        except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
            raise StackNotReadyError(f"the router's metrics cannot be read: {type(error).__name__}") from error
        return samples.total(name) or 0.0


async def _components(layout: Layout) -> Sequence[Component]:
    return (await ask(layout.supervisor_socket, SupervisorRequest(op="status"))).components


def _starting(components: Sequence[Component]) -> str:
    """What is about to serve. What failed is started again, or was only too busy to say that it is well."""
    coming = {ComponentState.STARTING, ComponentState.FAILED}
    waiting = (one for one in components if one.kind not in ONLOOKERS and one.state in coming)
    return ", ".join(one.name for one in waiting if one.kind != "engine" or one.state is ComponentState.STARTING)


def _away(components: Sequence[Component]) -> list[str]:
    """What is held down and should serve, engines left out: others take their place."""
    down = {ComponentState.HELD, ComponentState.STOPPED}
    return [one.name for one in components if one.kind not in ONLOOKERS | {"engine"} and one.state in down]
