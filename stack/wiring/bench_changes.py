"""`kvdeck bench changes`: finds the running stack, changes it under load, and puts it back as it was."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from stack.adapters.supervisor_link import SupervisorRequest, ask
from stack.api.client import ControlClient
from stack.bench.changes.changer import AUTHOR, patiently
from stack.bench.changes.report import Report
from stack.bench.changes.run import Plan, Run
from stack.config import Layout
from stack.local.home import home_layout
from stack.strategies.base import names
from stack.traffic.client import model_of
from stack.wiring.running_stack import RunningStack

NEEDED = ("router", "control")
_GONE_LOOK_S = 0.002


async def run(plan: Plan, tell: Callable[[str], None]) -> Report:
    """What came of it. Raises StackNotReadyError, ChangesError, EndpointError, ControlError, SupervisorUnavailableError."""
    layout = home_layout()
    stack = await RunningStack.find(layout, NEEDED)
    async with stack.traffic_held(), httpx.AsyncClient(trust_env=False) as http:
        with ControlClient(stack.urls["control"], actor=AUTHOR) as control:
            model = await model_of(http, stack.urls["router"], None)
            before = (await patiently(control.state)).generation
            try:
                return await Run(
                    plan, model.name, http, stack.urls["router"], control, _Supervised(layout), tuple(names()), tell, stack.emulated
                ).run()
            finally:
                now = (await patiently(control.state)).generation
                await asyncio.to_thread(control.rollback, before, now, comment=f"{AUTHOR} puts it back", force=True)


@dataclass(frozen=True, slots=True)
class _Supervised:
    """Control, which the supervisor starts again."""

    layout: Layout

    async def kill(self) -> bool:
        """SIGKILL; returns once the process is no more."""
        answer = await ask(self.layout.supervisor_socket, SupervisorRequest(op="status"))
        pid = next((one.pid for one in answer.components if one.name == "control"), None)
        if pid is None:
            return False
        try:
            os.kill(pid, signal.SIGKILL)
            while True:
                os.kill(pid, 0)
                await asyncio.sleep(_GONE_LOOK_S)
        except ProcessLookupError:
            return True

    async def forget_failures(self) -> None:
        """As `kvdeck start control` does."""
        await ask(self.layout.supervisor_socket, SupervisorRequest(op="start", name="control"))
