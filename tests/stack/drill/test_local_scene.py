"""A drill's hands: a supervisor, engines and processes of a stack that is not there but for one process."""

import asyncio
import json
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer, SupervisorRequest
from stack.config import Layout
from stack.drill.drill import DrillError
from stack.drill.local_scene import LocalScene
from stack.local.link_server import listening
from stack.model.target import Target
from stack.model.tier import Pool

STOPPED, GONE = psutil.STATUS_STOPPED, "gone"


def engine(name: str, pool: Pool, emulated: bool = False) -> Target:
    return Target(replica=name, url=f"http://{name}", pool=pool, model="m", model_root="/m", emulated=emulated)


PREFILL, DECODE = engine("prefill-0", Pool.PREFILL), engine("decode-0", Pool.DECODE)


class Stack:
    """Its one component is `decode-0`; engines answer as `refusing` says, and the router never does."""

    def __init__(self, folder: Path, process: int | None = None, refusing: int = 200, emulated: bool = False) -> None:
        self.layout = Layout.of(folder, folder)
        self.layout.runtime.mkdir()
        self.state, self.process, self.refusing = ComponentState.READY, process, refusing
        self.asked: list[tuple[str, str, Any]] = []
        self.told: list[tuple[str, str | None]] = []
        targets = [engine("prefill-0", Pool.PREFILL, emulated), engine("decode-0", Pool.DECODE, emulated)]
        urls = {"router": "http://router", "emulator": "http://emulator"}
        http = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))
        self.scene = LocalScene(self.layout, http, urls, targets, "m", time.monotonic, lambda seconds: asyncio.sleep(0))

    @asynccontextmanager
    async def supervised(self) -> AsyncIterator[LocalScene]:
        async with listening(self.layout.supervisor_socket, self.supervise):
            yield self.scene

    def supervise(self, request: SupervisorRequest) -> SupervisorAnswer:
        if request.op != "status":
            self.told.append((request.op, request.name))
            self.state = ComponentState.HELD if request.op == "stop" else ComponentState.READY
        one = Component(name="decode-0", kind="engine", url=None, pid=self.process, state=self.state)
        error = None if request.name in (None, "decode-0") else f"no component {request.name!r}"
        return SupervisorAnswer(error=error, components=(one,))

    async def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.method, str(request.url), json.loads(request.content or "null")))
        if request.url.path == "/metrics":
            sent = sum(url.startswith("http://router/v1") for _, url, _ in self.asked)
            page = f'kvdeck_router_in_flight_requests{{model_name="m"}} {sent}\n'
            return httpx.Response(200, headers={"content-type": "text/plain"}, stream=httpx.ByteStream(page.encode()))
        if request.url.host == "router":
            await asyncio.Event().wait()
        handed = {"do_remote_prefill": True, "remote_engine_id": "e", "remote_block_ids": [[1]]}
        return httpx.Response(self.refusing, json={"kv_transfer_params": handed, "usage": {"prompt_tokens": 3}})


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A component's process and one that it started."""
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True) as running:
        while len(psutil.Process(running.pid).children()) == 0:
            time.sleep(0.01)
        yield running
        for one in [*psutil.Process(running.pid).children(), psutil.Process(running.pid)] if running.poll() is None else []:
            one.kill()


def states(family: list[psutil.Process]) -> list[str]:
    return [_state(one) for one in family]


def _state(process: psutil.Process) -> str:
    try:
        found = process.status()
    except psutil.NoSuchProcess:
        return GONE
    return GONE if found == psutil.STATUS_ZOMBIE else found


async def until(family: list[psutil.Process], wanted: list[bool], state: str) -> None:
    for _ in range(500):
        if [found == state for found in states(family)] == wanted:
            return
        await asyncio.sleep(0.01)  # the kernel takes a moment
    raise AssertionError(states(family))


async def test_a_component_stands_still_with_all_that_it_started_and_goes_on(
    tmp_path: Path, process: subprocess.Popen[bytes]
) -> None:
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    async with Stack(tmp_path, process.pid).supervised() as scene:
        await scene.freeze("decode-0")
        await until(family, [True, True], STOPPED)
        await scene.thaw("decode-0")
        await until(family, [False, False], STOPPED)
        await scene.freeze("decode-0", server=False)
        await until(family, [False, True], STOPPED)
        await scene.thaw("decode-0")
        await until(family, [False, False], STOPPED)


async def test_a_killed_component_leaves_nothing(tmp_path: Path, process: subprocess.Popen[bytes]) -> None:
    child = psutil.Process(process.pid).children()[0]
    async with Stack(tmp_path, process.pid).supervised() as scene:
        await scene.kill(DECODE)
    assert process.wait(5) == -9
    await until([child], [True], GONE)


async def test_an_emulated_engine_is_killed_where_it_lives(tmp_path: Path) -> None:
    stack = Stack(tmp_path, emulated=True)
    assert stack.scene.emulated
    assert stack.scene.process_of(stack.scene.engine(Pool.DECODE)) == "emulator"
    await stack.scene.kill(stack.scene.engine(Pool.PREFILL))
    assert stack.asked == [("DELETE", "http://emulator/engines/prefill-0?now", None)]


async def test_a_component_is_held_until_it_is_down_and_released(tmp_path: Path) -> None:
    stack = Stack(tmp_path)
    async with stack.supervised() as scene:
        await scene.hold("decode-0")
        await scene.release("decode-0")
    assert stack.told == [("stop", "decode-0"), ("start", "decode-0")]


async def test_what_is_not_there_cannot_be_broken(tmp_path: Path) -> None:
    stack = Stack(tmp_path)
    async with stack.supervised() as scene:
        with pytest.raises(DrillError, match="did not stop redis: no component"):
            await scene.hold("redis")
        with pytest.raises(DrillError, match="no redis"):
            await scene.kill_process("redis")
        with pytest.raises(DrillError, match="decode-0 has no process"):
            await scene.freeze("decode-0")
        with pytest.raises(DrillError, match="no store"):
            await scene.store("PING")
    with pytest.raises(DrillError, match="no supervisor answers"):
        await stack.scene.hold("decode-0")


async def test_legs_are_those_of_a_router(tmp_path: Path) -> None:
    stack = Stack(tmp_path)
    await stack.scene.decode(DECODE, "p", await stack.scene.prefill(PREFILL, "p"))
    (_, first, asked), (_, second, told) = stack.asked
    assert (first, second) == ("http://prefill-0/v1/completions", "http://decode-0/v1/completions")
    assert asked["kv_transfer_params"]["do_remote_decode"] is True
    assert told["kv_transfer_params"] == {"do_remote_prefill": True, "remote_engine_id": "e", "remote_block_ids": [[1]]}


async def test_an_engine_that_refuses_ends_the_drill(tmp_path: Path) -> None:
    stack = Stack(tmp_path, refusing=503)
    with pytest.raises(DrillError, match="http://decode-0/v1/completions answers 503"):
        await stack.scene.complete(DECODE, "p")
    with pytest.raises(DrillError, match="prefill_without_params"):
        await stack.scene.decode(DECODE, "p", b"{}")


async def test_requests_are_out_until_the_end_and_nobody_waits_for_them(tmp_path: Path) -> None:
    stack = Stack(tmp_path)
    async with stack.scene.ask(["one", "two"], tokens=2):
        sent = [body for _, url, body in stack.asked if url.startswith("http://router/v1")]
        assert [(body["prompt"], body["max_tokens"], body["stream"]) for body in sent] == [("one", 2, True), ("two", 2, True)]


def test_no_two_prompts_begin_alike(tmp_path: Path) -> None:
    scene = Stack(tmp_path).scene
    prompts = {scene.prompt(5) for _ in range(8)}
    assert len({prompt[:12] for prompt in prompts}) == 8
    assert {prompt.count("word") for prompt in prompts} == {5}
