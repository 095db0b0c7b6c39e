"""How commands find the running stack: a supervisor's answers decide whether they begin, wait or give up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer
from stack.config import Layout
from stack.wiring.running_stack import RunningStack, StackNotReadyError

READY, STARTING, FAILED, HELD = ComponentState.READY, ComponentState.STARTING, ComponentState.FAILED, ComponentState.HELD
STOPPED = ComponentState.STOPPED


def components(**states: ComponentState) -> tuple[Component, ...]:
    """A stack that is ready but for `states`."""
    kinds = {"router": "router", "lmcache": "lmcache", "redis": "store", "dashboard": "dashboard", "decode_0": "engine"}
    return tuple(
        Component(name=name, kind=kind, url=f"http://{name}", pid=1, state=states.get(name, READY)) for name, kind in kinds.items()
    )


@asynccontextmanager
async def supervisor(
    folder: Path, *answers: Sequence[Component], asked: Callable[[bytes], None] = lambda line: None
) -> AsyncIterator[Layout]:
    """Gives the answers in turn, the last for ever; `asked` is told of each question."""
    layout, turns = Layout.of(folder, folder), list(answers)
    layout.runtime.mkdir()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked(await reader.readline())
        listed = turns.pop(0) if len(turns) > 1 else turns[0]
        writer.write(msgspec.json.encode(SupervisorAnswer(components=tuple(listed))) + b"\n")
        writer.close()

    async with await asyncio.start_unix_server(answer, str(layout.supervisor_socket)):
        yield layout


@pytest.mark.parametrize("state", [STARTING, FAILED])
async def test_a_cache_server_that_is_about_to_come_back_is_waited_for(tmp_path: Path, state: ComponentState) -> None:
    waited: list[str] = []
    async with supervisor(tmp_path, components(lmcache=state), components()) as layout:
        found = await RunningStack.find(layout, ["router"], waited.append)
    assert (waited, found.urls["router"], found.has_traffic) == (["lmcache"], "http://router", False)


async def test_an_engine_that_starts_is_waited_for(tmp_path: Path) -> None:
    waited: list[str] = []
    async with supervisor(tmp_path, components(decode_0=STARTING), components()) as layout:
        await RunningStack.find(layout, ["router"], waited.append)
    assert waited == ["decode_0"]


@pytest.mark.parametrize("state", [HELD, STOPPED])
async def test_a_part_that_is_held_down_is_named_at_once(tmp_path: Path, state: ComponentState) -> None:
    async with supervisor(tmp_path, components(redis=state)) as layout:
        with pytest.raises(StackNotReadyError, match=r"^redis not ready"):
            await RunningStack.find(layout, ["router"])


async def test_a_part_that_this_stack_does_not_have_is_named(tmp_path: Path) -> None:
    async with supervisor(tmp_path, components()) as layout:
        with pytest.raises(StackNotReadyError, match=r"^exporter not ready"):
            await RunningStack.find(layout, ["router", "exporter"])


async def test_nobody_waits_for_a_dashboard_or_an_engine_that_failed(tmp_path: Path) -> None:
    async with supervisor(tmp_path, components(dashboard=STARTING, decode_0=FAILED)) as layout:
        assert "dashboard" not in (await RunningStack.find(layout, ["router"])).urls


@asynccontextmanager
async def router(in_flight: list[int]) -> AsyncIterator[str]:
    """The address of one that tells these numbers of requests in turn, the last for ever."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        told = in_flight.pop(0) if len(in_flight) > 1 else in_flight[0]
        body = f"kvdeck_router_in_flight_requests {told}\n".encode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n")
        writer.write(b"content-length: %d\r\n\r\n%b" % (len(body), body))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_traffic_is_held_once_its_last_answer_came_and_goes_on_afterwards(tmp_path: Path) -> None:
    told: list[str] = []

    def asked(line: bytes) -> None:
        told.append(msgspec.json.decode(line)["op"])

    in_flight = [2, 0]
    async with (
        router(in_flight) as url,
        supervisor(tmp_path, components(), asked=asked) as layout,
        RunningStack(layout, {"router": url}, [], has_traffic=True).traffic_held(),
    ):
        assert (in_flight, told) == ([0], ["stop"])
    assert told == ["stop", "start"]


async def test_traffic_goes_on_though_its_last_answers_could_not_be_waited_for(tmp_path: Path) -> None:
    told: list[str] = []

    def asked(line: bytes) -> None:
        told.append(msgspec.json.decode(line)["op"])

    async with router([0]) as url:
        gone = url
    async with supervisor(tmp_path, components(), asked=asked) as layout:
        with pytest.raises(StackNotReadyError, match="the router's metrics cannot be read"):
            async with RunningStack(layout, {"router": gone}, [], has_traffic=True).traffic_held():
                raise AssertionError("it was not waited for")
    assert told == ["stop", "start"]
