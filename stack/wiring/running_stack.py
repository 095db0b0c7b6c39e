"""The stack that runs on this machine, as commands that play on it find it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from stack.adapters.supervisor_link import ComponentState, SupervisorRequest, ask
from stack.adapters.target_file import TargetFile
from stack.config import Layout
from stack.model.target import Target

_LAST_ANSWERS_S = 2.0


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
    async def find(cls, layout: Layout, needed: Sequence[str]) -> RunningStack:
        """The stack, its `needed` parts ready. Raises StackNotReadyError, SupervisorUnavailableError."""
        answer = await ask(layout.supervisor_socket, SupervisorRequest(op="status"))
        ready = {component.name: component for component in answer.components if component.state is ComponentState.READY}
        urls = {name: component.url for name, component in ready.items() if component.url}
        if away := [name for name in needed if name not in urls]:
            raise StackNotReadyError(f"{', '.join(away)} not ready: `kvdeck up` starts the stack, `kvdeck status` tells")
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
            await asyncio.sleep(_LAST_ANSWERS_S)
        try:
            yield
        finally:
            if self.has_traffic:
                await self._tell_traffic("start")

    async def _tell_traffic(self, op: str) -> None:
        answer = await ask(self.layout.supervisor_socket, SupervisorRequest(op=op, name="traffic"), timeout_seconds=30)
        if answer.error is not None:
            raise StackNotReadyError(f"the supervisor did not {op} the traffic: {answer.error}")
