"""What the API server could not tell while it was away is found out when it is back: no dead address stays in rotation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest

from stack.adapters.model_names import ModelNames
from stack.kube.access import Access
from stack.kube.discovery import EnginePods
from stack.kube.engine_pods import Selection
from stack.kube.pod_targets import PodTargets
from stack.model.target import Target
from tests.stack.kube.hands import Hands
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import InProcess

NAMESPACE = "serving"


@dataclass
class Followed:
    """Engines as they are told of; `transport` is the way to the API server."""

    hands: Hands
    server: StandIn
    transport: InProcess
    told: list[list[Target]]

    async def becomes(self, *names: str) -> list[Target]:
        await until(lambda: bool(self.told) and [target.replica for target in self.told[-1]] == list(names))
        return self.told[-1]

    def cut(self) -> None:
        """The connection breaks, and there is no other one."""
        self.transport.broken = httpx.ConnectError("refused")
        self.server.shelf.cut()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110  # there is no event of what others tell
            await asyncio.sleep(0)


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


class Hurried(EnginePods):
    """Pauses for no time at all."""

    async def run(self, sleep: Callable[[float], Awaitable[None]] = at_once) -> None:
        await super().run(sleep)


def a_model(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"data": [{"id": "llama"}]})


@asynccontextmanager
async def followed() -> AsyncIterator[Followed]:
    """Two engines a and b that are told of."""
    server = StandIn()
    transport, told = InProcess(server), list[list[Target]]()
    http = httpx.AsyncClient(base_url="http://kube", headers={"authorization": "Bearer admin"}, transport=InProcess(server))
    it = Followed(Hands(http, NAMESPACE), server, transport, told)
    for number, name in enumerate("ab"):
        await it.hands.create(name, {"app": "vllm"})
        await it.hands.ready(name, f"10.0.0.{number}")
    access = Access("http://kube", NAMESPACE, True, lambda: "Bearer admin")
    engines = httpx.AsyncClient(transport=httpx.MockTransport(a_model))
    source = PodTargets(lambda: Hurried(access, Selection("app=vllm"), transport), ModelNames(engines))
    watching = asyncio.create_task(source.watch(0, told.append))
    try:
        await it.becomes("a", "b")
        yield it
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_engines_are_told_of_as_pods_come_and_go_with_the_model_they_serve() -> None:
    async with followed() as it:
        await it.hands.end("a")
        (b,) = await it.becomes("b")
        assert (b.url, b.model, b.namespace, b.ready, b.leaving) == ("http://10.0.0.1:8000", "llama", NAMESPACE, True, False)


@pytest.mark.parametrize("forgotten", [False, True], ids=["history kept", "410 Gone"])
async def test_a_pod_that_went_while_nobody_could_be_told_is_gone(forgotten: bool) -> None:
    async with followed() as it:
        it.cut()
        await it.hands.end("a")
        await it.hands.create("c", {"app": "vllm"})
        await it.hands.ready("c", "10.0.0.0")  # at the address that was a's
        if forgotten:
            it.server.compact()
        await asyncio.sleep(0)
        assert [target.replica for target in it.told[-1]] == ["a", "b"]  # the last that was heard stays
        it.transport.broken = None
        _, c = await it.becomes("b", "c")
        assert c.url == "http://10.0.0.0:8000"


async def test_a_pod_that_is_not_ready_gets_nothing_new_unless_none_is() -> None:
    async with followed() as it:
        await it.hands.ready("a", "10.0.0.0", status="False")
        await until(lambda: [target.ready for target in it.told[-1]] == [False, True])
        await it.hands.ready("b", "10.0.0.1", status="Unknown")
        await until(lambda: [target.ready for target in it.told[-1]] == [True, True])
