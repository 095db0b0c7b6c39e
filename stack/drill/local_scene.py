"""The stack of this machine, as drills lay hands on it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
from redis.asyncio import Redis
from redis.exceptions import RedisError

from stack.adapters.exposition import ExpositionError, fetch
from stack.adapters.supervisor_link import (
    Component,
    ComponentState,
    SupervisorAnswer,
    SupervisorRequest,
    SupervisorUnavailableError,
    ask,
)
from stack.config import Layout
from stack.drill.drill import DrillError
from stack.drill.legs import decode_body, prefill_body
from stack.local import sessions
from stack.local.components import emulator, store
from stack.metrics import catalog
from stack.model.target import Target
from stack.model.tier import Pool

HELD_SECONDS = 60.0
SENT_SECONDS = 5.0
# A prefill of some hundred tokens behind others on a busy core; the whole prompt again where KV was lost.
LEG_SECONDS = 90.0
STORE_SECONDS = 10.0
LOOK_SECONDS = 0.25


class LocalScene:
    """A `Scene`. `urls` are the stack's parts', `targets` its engines."""

    def __init__(
        self,
        layout: Layout,
        http: httpx.AsyncClient,
        urls: dict[str, str],
        targets: Sequence[Target],
        model: str,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._layout, self._http, self._urls, self._targets, self._model = layout, http, urls, targets, model
        self._clock, self._sleep = clock, sleep
        self._frozen: dict[str, frozenset[int]] = {}

    @property
    def emulated(self) -> bool:
        return any(target.emulated for target in self._targets)

    def engine(self, pool: Pool) -> Target:
        found = next((target for target in self._targets if target.pool is pool), None)
        if found is None:
            raise DrillError(f"this stack has no {pool} engine")
        return found

    def process_of(self, engine: Target) -> str:
        return emulator.NAME if engine.emulated else engine.replica

    async def hold(self, component: str) -> None:
        await self._tell("stop", component)
        deadline = self._clock() + HELD_SECONDS
        while (await self._component(component)).state is not ComponentState.HELD:
            if self._clock() > deadline:
                raise DrillError(f"{component} does not end: see `kvdeck status`")
            await self._sleep(LOOK_SECONDS)

    async def release(self, component: str) -> None:
        await self._tell("start", component)

    async def kill(self, engine: Target) -> None:
        if not engine.emulated:
            return await self.kill_process(engine.replica)
        await self._call("DELETE", f"{self._urls[emulator.NAME]}/engines/{engine.replica}?now")
        return None

    async def kill_process(self, component: str) -> None:
        sessions.kill(await self._members(component))

    async def freeze(self, component: str, *, server: bool = True) -> None:
        left_out = frozenset() if server else frozenset({(await self._component(component)).pid})
        self._frozen[component] = await self._members(component) - left_out
        _signal(self._frozen[component], signal.SIGSTOP)

    async def thaw(self, component: str) -> None:
        _signal(self._frozen.pop(component, frozenset()), signal.SIGCONT)

    @asynccontextmanager
    async def ask(self, requests: Sequence[str], tokens: int) -> AsyncIterator[None]:
        url = f"{self._urls['router']}/v1/completions"
        bodies = [self._fields(prompt, tokens) | {"stream": True} for prompt in requests]
        out = [asyncio.create_task(self._http.post(url, json=body, timeout=LEG_SECONDS)) for body in bodies]
        try:
            deadline = self._clock() + SENT_SECONDS
            while await self._in_flight() < len(out) and self._clock() < deadline:
                await self._sleep(LOOK_SECONDS)
            yield
        finally:
            for task in out:
                task.cancel()
            await asyncio.gather(*out, return_exceptions=True)  # how they end is not what the drill is about

    async def prefill(self, engine: Target, prompt: str) -> bytes:
        body = prefill_body(self._fields(prompt, 1))
        return (await self._call("POST", f"{engine.url}/v1/completions", body)).content

    async def decode(self, engine: Target, prompt: str, prefilled: bytes) -> None:
        body = decode_body(self._fields(prompt, 2), prefilled)
        await self._call("POST", f"{engine.url}/v1/completions", body)

    async def complete(self, engine: Target, prompt: str) -> None:
        await self._call("POST", f"{engine.url}/v1/completions", self._fields(prompt, 1), seconds=None)

    async def pause(self, seconds: float) -> None:
        await self._sleep(seconds)

    async def store(self, *command: str) -> None:
        url = self._urls.get(store.NAME)
        if url is None:
            raise DrillError("this stack has no store")
        try:
            async with asyncio.timeout(STORE_SECONDS), Redis.from_url(url) as client:
                await client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis leaves it untyped
        except (RedisError, TimeoutError) as error:
            raise DrillError(f"the store does not take {' '.join(command[:2])}: {type(error).__name__}") from error

    def prompt(self, words: int) -> str:
        return f"Drill {secrets.token_hex(4)}. " + "word " * words

    async def components(self) -> Sequence[Component]:
        """Everything of the stack. Raises DrillError."""
        return (await self._asked(SupervisorRequest(op="status"))).components

    def _fields(self, prompt: str, tokens: int) -> dict[str, Any]:
        return {"model": self._model, "prompt": prompt, "max_tokens": tokens, "temperature": 0}

    async def _members(self, component: str) -> frozenset[int]:
        pid = (await self._component(component)).pid
        if pid is None:
            raise DrillError(f"{component} has no process: see `kvdeck status`")
        return sessions.members(pid)

    async def _component(self, name: str) -> Component:
        found = next((one for one in await self.components() if one.name == name), None)
        if found is None:
            raise DrillError(f"this stack has no {name}")
        return found

    async def _tell(self, op: str, name: str) -> None:
        answer = await self._asked(SupervisorRequest(op=op, name=name))
        if answer.error is not None:
            raise DrillError(f"the supervisor did not {op} {name}: {answer.error}")

    async def _asked(self, request: SupervisorRequest) -> SupervisorAnswer:
        try:
            return await ask(self._layout.supervisor_socket, request)
        except SupervisorUnavailableError as error:
            raise DrillError(str(error)) from error

    async def _in_flight(self) -> float:
        name = catalog.ROUTER_IN_FLIGHT.name
        try:
            async with asyncio.timeout(LOOK_SECONDS * 20):
                return (await fetch(self._http, f"{self._urls['router']}/metrics", frozenset({name}))).total(name) or 0.0
        except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
            raise DrillError(f"the router's metrics cannot be read: {type(error).__name__}") from error

    async def _call(self, method: str, url: str, body: object = None, seconds: float | None = LEG_SECONDS) -> httpx.Response:
        try:
            answer = await self._http.request(method, url, json=body, timeout=seconds)
        except httpx.HTTPError as error:
            raise DrillError(f"{url} does not answer: {type(error).__name__}") from error
        if not answer.is_success:
            raise DrillError(f"{url} answers {answer.status_code}")
        return answer


def _signal(pids: frozenset[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
