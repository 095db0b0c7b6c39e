from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from stack.adapters.supervisor_link import ComponentState, SupervisorAnswer, SupervisorRequest
from stack.control.room import Amount, Room
from stack.local.backoff import Backoff
from stack.local.cache_making import CacheMaker
from stack.local.engine_making import RefusedError
from stack.local.engine_room import Space
from stack.local.seats import Seat, Seats
from stack.local.spec import Spec, Stage
from stack.local.supervisor import Supervisor
from stack.local.target_list import TargetList
from stack.local.timings import Timings
from stack.model.target import Target, decode
from stack.model.tier import Pool
from tests.stack.local.living import SLEEPER, Obedient, host, python, until

LAST_WORDS = (
    "import signal, sys, time; "
    "signal.signal(signal.SIGTERM, lambda *_: (print(time.monotonic_ns(), flush=True), sys.exit(0))); "
    "print('up', flush=True); time.sleep(600)"
)


class Bench:
    """A supervisor over small processes in `folder`; its engines are such too."""

    def __init__(self, folder: Path, space: Space | None = None) -> None:
        self.folder, self.host = folder, host(folder)
        self.probe = Obedient()
        self.supervisor = Supervisor(
            engine=self.engine,
            space=space,
            seats=Seats(8100),
            targets=TargetList(folder / "engines.json"),
            timings=Timings(folder / "timings.json"),
            clock=time.monotonic,
            backoff=lambda: Backoff(first=0.05),
            notice=0.2,
        )

    def spec(self, name: str, code: str = SLEEPER, stage: Stage = Stage.SERVICE, after: tuple[str, ...] = ()) -> Spec:
        return Spec(
            name=name,
            kind="test",
            stage=stage,
            launch=python(self.host, code, stage=stage),
            probe=self.probe,
            after=after,
        )

    def engine(self, seat: Seat) -> Spec:
        if seat.index > 2:
            raise RefusedError("three engines are enough")
        target = Target(replica=seat.name, url=seat.url, pool=seat.pool, model="m", model_root="/m")
        return replace(self.spec(seat.name, stage=Stage.ENGINE), target=target)

    def ask(self, op: str, name: str | None = None, pool: str | None = None) -> SupervisorAnswer:
        return self.supervisor.handle(SupervisorRequest(op=op, name=name, pool=pool))

    def states(self) -> dict[str, ComponentState]:
        return {component.name: component.state for component in self.supervisor.components[1:]}

    def ready(self, *names: str) -> bool:
        return all(self.states().get(name) is ComponentState.READY for name in names)

    def listed(self) -> list[str]:
        return [target.replica for target in decode((self.folder / "engines.json").read_bytes())]

    def leaving(self) -> list[str]:
        return [target.replica for target in decode((self.folder / "engines.json").read_bytes()) if target.leaving]


@asynccontextmanager
async def running(folder: Path, specs: Sequence[tuple[str, str, Stage]] = (), pools: Sequence[Pool] = ()) -> AsyncIterator[Bench]:
    bench = Bench(folder)
    task = asyncio.create_task(bench.supervisor.run([bench.spec(*spec) for spec in specs], pools))
    await asyncio.sleep(0)
    try:
        yield bench
    finally:
        bench.ask("shutdown")
        await task
    assert (folder / "processes.json").read_text() in ("", "[]")
    assert bench.listed() == []


async def test_everything_is_shown_the_supervisor_first(tmp_path: Path) -> None:
    async with running(tmp_path, [("redis", SLEEPER, Stage.STORE)], [Pool.PREFILL, Pool.DECODE, Pool.DECODE]) as bench:
        await until(lambda: bench.ready("redis", "prefill-0", "decode-0", "decode-1"))
        shown = bench.ask("status").components
        assert [component.name for component in shown] == ["supervisor", "redis", "prefill-0", "decode-0", "decode-1"]
        assert (shown[0].pid, shown[0].state) == (os.getpid(), ComponentState.READY)


async def test_an_engine_is_listed_from_its_first_readiness_until_it_is_removed(tmp_path: Path) -> None:
    async with running(tmp_path) as bench:
        bench.probe.fault = "loading"
        assert bench.ask("add", pool="decode").name == "decode-0"
        await until(lambda: bench.states() == {"decode-0": ComponentState.STARTING})
        assert bench.listed() == []
        bench.probe.fault = None
        await until(lambda: bench.listed() == ["decode-0"])
        bench.ask("stop", "decode-0")
        await until(lambda: bench.states() == {"decode-0": ComponentState.HELD})
        assert bench.listed() == ["decode-0"]
        bench.ask("start", "decode-0")
        await until(lambda: bench.ready("decode-0"))
        bench.ask("remove", "decode-0")
        assert bench.listed() == []
        await until(lambda: bench.states() == {})


async def test_an_engine_for_which_there_is_no_room_is_not_begun(tmp_path: Path) -> None:
    needs = Amount(memory_bytes=2_000_000_000, cores=0.25)

    def space(pool: Pool, engines: int, starting: int) -> Room:
        return Room(needs=needs, free=Amount(memory_bytes=1_500_000_000, cores=1.0 - engines * 0.25))

    bench = Bench(tmp_path, space)
    assert bench.ask("status").rooms == {
        pool: Room(needs=needs, free=Amount(memory_bytes=1_500_000_000, cores=1.0)) for pool in ("prefill", "decode")
    }
    assert bench.ask("add", pool="decode").error == (
        "one more decode engine needs 2.0 GB of memory and 0.25 cores; 1.5 GB of memory and 1 core are free: "
        "0.5 GB of memory are missing"
    )
    assert bench.states() == {}
    assert Bench(tmp_path).ask("status").rooms == {}


async def test_the_cache_server_is_restarted_with_another_size(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.supervisor._cache = CacheMaker(lambda amount: bench.spec("lmcache", f"{SLEEPER}  # {amount}"), 5)
    task = asyncio.create_task(bench.supervisor.run([bench.spec("lmcache")], []))
    await until(lambda: bench.ready("lmcache"))
    before = bench.supervisor.pid("lmcache")
    assert bench.supervisor.handle(SupervisorRequest(op="resize", amount=5)).error is None
    assert bench.states() == {"lmcache": ComponentState.READY}
    assert bench.supervisor.handle(SupervisorRequest(op="resize", amount=7)).resizes_l1
    assert bench.states() == {"lmcache": ComponentState.STARTING}
    await until(lambda: bench.ready("lmcache"))
    assert bench.supervisor.pid("lmcache") != before
    bench.supervisor.close()
    await task
    assert Bench(tmp_path).ask("resize").error == "this stack has no cache server to restart"


async def test_routers_know_of_an_engine_that_is_to_be_stopped_before_it_is(tmp_path: Path) -> None:
    async with running(tmp_path, pools=[Pool.DECODE, Pool.DECODE]) as bench:
        await until(lambda: bench.ready("decode-0", "decode-1"))
        pid = bench.supervisor.pid("decode-0")
        bench.ask("stop", "decode-0")
        await until(lambda: bench.leaving() == ["decode-0"])
        assert bench.supervisor.pid("decode-0") == pid
        await until(lambda: bench.supervisor.pid("decode-0") is None)
        assert (bench.listed(), bench.leaving()) == (["decode-0", "decode-1"], ["decode-0"])
        bench.ask("start", "decode-0")
        await until(lambda: bench.leaving() == [])


async def test_a_pool_that_shrank_grows_under_the_same_names(tmp_path: Path) -> None:
    async with running(tmp_path, pools=[Pool.DECODE, Pool.DECODE]) as bench:
        await until(lambda: bench.ready("decode-0", "decode-1"))
        bench.ask("remove", "decode-1")
        assert bench.ask("add", pool="decode").name == "decode-2"  # decode-1 is still ending
        await until(lambda: "decode-1" not in bench.states())
        assert bench.ask("add", pool="decode").name == "decode-1"


async def test_dependants_wait_and_start_in_order(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    specs = [bench.spec("router", after=("redis",)), bench.spec("redis", stage=Stage.STORE)]
    bench.probe.fault = "loading"
    task = asyncio.create_task(bench.supervisor.run(specs, []))
    await until(lambda: [component.detail for component in bench.supervisor.components[1:]] == ["waits for redis", "loading"])
    bench.probe.fault = None
    await until(lambda: bench.ready("router", "redis"))
    bench.supervisor.close()
    await task


async def test_one_that_leans_on_another_is_renewed_with_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    specs = [bench.spec("redis"), replace(bench.spec("lmcache", after=("redis",)), renewed_by=("redis",))]
    task = asyncio.create_task(bench.supervisor.run(specs, []))
    await until(lambda: bench.ready("redis", "lmcache"))
    before = bench.supervisor.pid("lmcache")
    bench.ask("stop", "redis")
    await until(lambda: bench.states()["redis"] is ComponentState.HELD)
    assert bench.supervisor.pid("lmcache") == before
    bench.ask("start", "redis")
    await until(lambda: bench.ready("redis", "lmcache") and bench.supervisor.pid("lmcache") != before)
    bench.supervisor.close()
    await task


async def test_shutdown_goes_from_the_face_to_the_store(tmp_path: Path) -> None:
    stages = {"redis": Stage.STORE, "lmcache": Stage.CACHE, "router": Stage.SERVICE, "traffic": Stage.FACE}
    async with running(tmp_path, [(name, LAST_WORDS, stage) for name, stage in stages.items()]) as bench:
        await until(lambda: bench.ready(*stages))
        await until(lambda: all((tmp_path / "logs" / f"{name}.log").read_text() == "up\n" for name in stages))
    ended = {name: int((tmp_path / "logs" / f"{name}.log").read_text().split()[1]) for name in stages}
    assert sorted(ended, key=ended.__getitem__) == ["traffic", "router", "lmcache", "redis"]


async def test_what_cannot_be_done_is_refused_with_what_can(tmp_path: Path) -> None:
    async with running(tmp_path, [("redis", SLEEPER, Stage.STORE)], [Pool.DECODE] * 3) as bench:
        refused = {
            ("stop", "nobody", None): "no component 'nobody'; there are: redis, decode-0, decode-1, decode-2",
            ("stop", "supervisor", None): "the supervisor holds all others: kvdeck down ends everything",
            ("remove", "redis", None): "redis is no engine: kvdeck stop holds it down",
            ("add", None, "other"): "no pool 'other'; there are: prefill, decode",
            ("add", None, "decode"): "three engines are enough",
            ("reboot", None, None): "unknown request 'reboot'",
        }
        assert {asked: bench.ask(*asked).error for asked in refused} == refused
        bench.ask("shutdown")
        assert bench.ask("stop", "redis").error == "the stack is shutting down"
        assert bench.ask("status").error is None
