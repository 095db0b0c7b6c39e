from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from stack.adapters.pool_scaler import SupervisorScaler
from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer, SupervisorRequest
from stack.control.machinery import EngineProcess, Machinery, Phase
from stack.control.ports import ScalerError
from stack.control.room import Amount, Room
from stack.model.tier import Pool


class Supervisor:
    """Answers every request with `answer` and remembers what it was asked."""

    def __init__(self, answer: SupervisorAnswer) -> None:
        self.answer = answer
        self.asked: list[SupervisorRequest] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(msgspec.json.decode(await reader.readline(), type=SupervisorRequest))
        writer.write(msgspec.json.encode(self.answer) + b"\n")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def _scaler(answer: SupervisorAnswer) -> AsyncIterator[tuple[SupervisorScaler, Supervisor]]:
    supervisor = Supervisor(answer)
    with TemporaryDirectory(prefix="kvdeck-") as folder:  # short: unix socket paths are limited to 107 bytes
        path = Path(folder) / "s"
        async with await asyncio.start_unix_server(supervisor.serve, path):
            yield SupervisorScaler(path, "smollm2"), supervisor


def _component(name: str, state: ComponentState, detail: str = "") -> Component:
    return Component(name=name, kind="engine", url=f"http://{name}", pid=1, state=state, detail=detail)


async def test_only_engines_are_processes_of_a_pool() -> None:
    components = (
        _component("supervisor", ComponentState.READY),
        _component("prefill-0", ComponentState.READY),
        _component("decode-0", ComponentState.STARTING, "loading"),
        _component("decode-10", ComponentState.FAILED, "exit 1"),
        _component("decode-2", ComponentState.HELD),
        _component("decode-x", ComponentState.READY),
    )
    async with _scaler(SupervisorAnswer(components=components)) as (scaler, supervisor):
        assert (await scaler.look()).processes == (
            EngineProcess("prefill-0", "smollm2", Pool.PREFILL, Phase.RUNNING, "http://prefill-0"),
            EngineProcess("decode-0", "smollm2", Pool.DECODE, Phase.STARTING, "http://decode-0", "loading"),
            EngineProcess("decode-10", "smollm2", Pool.DECODE, Phase.DOWN, "http://decode-10", "failed: exit 1"),
            EngineProcess("decode-2", "smollm2", Pool.DECODE, Phase.DOWN, "http://decode-2", "held"),
        )
    assert supervisor.asked == [SupervisorRequest(op="status")]


async def test_adding_names_the_engine_and_removing_its_end() -> None:
    async with _scaler(SupervisorAnswer(name="decode-2")) as (scaler, supervisor):
        assert await scaler.grow("smollm2", Pool.DECODE, 1) == ("decode-2",)
        await scaler.remove("decode-2")
    assert supervisor.asked == [SupervisorRequest(op="add", pool="decode"), SupervisorRequest(op="remove", name="decode-2")]


async def test_a_supervisor_that_says_no_is_quoted() -> None:
    async with _scaler(SupervisorAnswer(error="not enough memory")) as (scaler, _):
        with pytest.raises(ScalerError, match="refused to add: not enough memory"):
            await scaler.grow("smollm2", Pool.DECODE, 1)


async def test_an_answer_without_a_name_is_not_taken_for_success() -> None:
    async with _scaler(SupervisorAnswer()) as (scaler, _):
        with pytest.raises(ScalerError, match="did not say which"):
            await scaler.grow("smollm2", Pool.DECODE, 1)


async def test_a_model_it_does_not_run_is_refused_without_asking() -> None:
    async with _scaler(SupervisorAnswer(name="decode-2")) as (scaler, supervisor):
        with pytest.raises(ScalerError, match="engines of smollm2 only"):
            await scaler.grow("qwen", Pool.DECODE, 1)
    assert supervisor.asked == []


async def test_no_supervisor_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScalerError, match="no supervisor answers"):
        await SupervisorScaler(tmp_path / "nobody", "smollm2").look()


async def test_it_changes_roles_and_tells_its_room() -> None:
    room = Room(needs=Amount(memory_bytes=2, cores=0.5), free=Amount(memory_bytes=3, cores=1.0))
    async with _scaler(SupervisorAnswer(rooms={"decode": room, "embed": room})) as (scaler, _):
        assert await scaler.look() == Machinery(changes_roles=True, rooms={Pool.DECODE: room})


async def test_the_cache_server_is_resized_by_the_supervisor() -> None:
    async with _scaler(SupervisorAnswer(resizes_l1=True)) as (scaler, supervisor):
        assert (await scaler.look()).resizes_l1
        await scaler.resize_l1(7)
    assert supervisor.asked[-1] == SupervisorRequest(op="resize", amount=7)
