"""The local supervisor as the machinery that scales pools."""

from __future__ import annotations

import re
from pathlib import Path

from stack.adapters.supervisor_link import (
    Component,
    ComponentState,
    SupervisorAnswer,
    SupervisorRequest,
    SupervisorUnavailableError,
    ask,
)
from stack.control.machinery import EngineProcess, Machinery, Phase
from stack.control.ports import ScalerError
from stack.model.tier import Pool

_ENGINE = re.compile(rf"^({'|'.join(Pool)})-\d+$")

_PHASES = {
    ComponentState.STARTING: Phase.STARTING,
    ComponentState.READY: Phase.RUNNING,
    ComponentState.STOPPED: Phase.DOWN,
    ComponentState.FAILED: Phase.DOWN,
    ComponentState.HELD: Phase.DOWN,
}


class SupervisorScaler:
    """`stack.control.ports.PoolScaler` over the supervisor's `socket`. It runs engines of one `model` only."""

    def __init__(self, socket: Path, model: str, timeout_seconds: float = 10.0) -> None:
        self._socket, self._model, self._timeout = socket, model, timeout_seconds

    async def look(self) -> Machinery:
        answer = await self._ask(SupervisorRequest(op="status"))
        processes = tuple(_process(c, self._model) for c in answer.components if _ENGINE.match(c.name))
        rooms = {pool: answer.rooms[pool] for pool in Pool if pool in answer.rooms}
        return Machinery(processes, changes_roles=True, rooms=rooms, resizes_l1=answer.resizes_l1)

    async def grow(self, model: str, pool: Pool, by: int) -> tuple[str, ...]:
        if by != 1:
            raise ScalerError(f"engines start one after the other here, and not {by} at once")
        if model != self._model:
            raise ScalerError(f"this supervisor runs engines of {self._model} only, not of {model}")
        answer = await self._ask(SupervisorRequest(op="add", pool=pool.value))
        if answer.name is None:
            raise ScalerError("the supervisor started an engine but did not say which")
        return (answer.name,)

    async def remove(self, name: str) -> None:
        await self._ask(SupervisorRequest(op="remove", name=name))

    async def resize_l1(self, amount: int) -> None:
        """`stack.control.ports.CacheHost`, too."""
        await self._ask(SupervisorRequest(op="resize", amount=amount))

    async def _ask(self, request: SupervisorRequest) -> SupervisorAnswer:
        try:
            answer = await ask(self._socket, request, self._timeout)
        except SupervisorUnavailableError as error:
            raise ScalerError(str(error)) from error
        if answer.error is not None:
            raise ScalerError(f"the supervisor refused to {request.op}: {answer.error}")
        return answer


def _process(component: Component, model: str) -> EngineProcess:
    detail = component.detail
    if component.state in (ComponentState.STOPPED, ComponentState.FAILED, ComponentState.HELD):
        detail = ": ".join(filter(None, [component.state.value, detail]))
    return EngineProcess(
        name=component.name,
        model=model,
        pool=Pool(component.name.rpartition("-")[0]),
        phase=_PHASES[component.state],
        url=component.url,
        detail=detail,
    )
