from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from stack.adapters.supervisor_link import ComponentState
from stack.local.backoff import Backoff
from stack.local.keeper import Keeper
from stack.local.spec import Launchable, Running, Spec, Stage
from tests.stack.local.living import CRASHER, SLEEPER, Obedient, host, python, until


def spec(launch: Launchable, probe: Obedient | None = None, ready_within: float = 60.0) -> Spec:
    return Spec(name="a", kind="test", stage=Stage.SERVICE, launch=launch, probe=probe or Obedient(), ready_within=ready_within)


async def _at_once(spec: Spec) -> None:
    """Nobody has to be told."""


@asynccontextmanager
async def kept(
    spec: Spec,
    backoff: Backoff | None = None,
    blockers: Callable[[Spec], tuple[str, ...]] = lambda _: (),
    leaving: Callable[[Spec], Awaitable[None]] = _at_once,
) -> AsyncIterator[tuple[Keeper, list[float]]]:
    """The component, kept during the block; and the seconds of each time it became ready."""
    readied: list[float] = []
    keeper = Keeper(
        spec,
        blockers=blockers,
        on_ready=lambda _, seconds: readied.append(seconds),
        leaving=leaving,
        clock=asyncio.get_running_loop().time,
        backoff=backoff or Backoff(first=0.05, limit=0.2),
    )
    task = asyncio.create_task(keeper.run())
    try:
        yield keeper, readied
    finally:
        keeper.end()
        await task
    assert keeper.state is ComponentState.STOPPED
    assert keeper.component.pid is None


async def test_it_is_ready_when_its_probe_says_so(tmp_path: Path) -> None:
    probe = Obedient(fault="still loading")
    async with kept(spec(python(host(tmp_path), SLEEPER), probe)) as (keeper, readied):
        await until(lambda: keeper.component.detail == "still loading")
        assert (keeper.state, readied) == (ComponentState.STARTING, [])
        probe.fault = None
        await until(lambda: keeper.state is ComponentState.READY)
        assert len(readied) == 1
        assert keeper.component.pid is not None


async def test_a_crash_is_shown_and_mended(tmp_path: Path) -> None:
    async with kept(spec(python(host(tmp_path), SLEEPER)), Backoff(first=0.5)) as (keeper, readied):
        await until(lambda: keeper.state is ComponentState.READY)
        first = keeper.component.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: keeper.state is ComponentState.FAILED and keeper.component.pid is None)
        assert keeper.component.detail == "killed by SIGKILL, restart 1 in 0 s"
        await until(lambda: keeper.state is ComponentState.READY)
        assert keeper.component.pid != first
        assert len(readied) == 2


async def test_one_that_crashes_on_and_on_is_counted(tmp_path: Path) -> None:
    async with kept(spec(python(host(tmp_path), CRASHER), Obedient(fault="not yet"))) as (keeper, readied):
        await until(lambda: keeper.component.failures >= 3)
        assert readied == []
        await until(lambda: keeper.component.detail.startswith("exited with code 3, restart "))


async def test_one_that_cannot_be_started_is_tried_again(tmp_path: Path) -> None:
    command = python(host(tmp_path), SLEEPER)
    broken = type(command)(host=command.host, kind="test", argv=("/no/such",), stage=Stage.SERVICE)
    async with kept(spec(broken)) as (keeper, _):
        await until(lambda: keeper.component.failures >= 2)
        await until(lambda: keeper.component.detail.startswith("/no/such cannot be started"))


async def test_it_is_stopped_when_those_who_use_it_know_and_a_crash_waits_for_nobody(tmp_path: Path) -> None:
    told, asked = asyncio.Event(), 0

    async def leaving(spec: Spec) -> None:
        nonlocal asked
        asked += 1
        await told.wait()

    async with kept(spec(python(host(tmp_path), SLEEPER)), leaving=leaving) as (keeper, readied):
        await until(lambda: keeper.state is ComponentState.READY)
        pid = keeper.component.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: len(readied) == 2)
        assert asked == 0
        keeper.hold()
        await until(lambda: asked == 1)
        assert (keeper.state, keeper.component.detail) == (ComponentState.HELD, "stopping")
        assert keeper.component.pid is not None
        told.set()
        await until(lambda: keeper.component.pid is None)


async def test_held_it_stays_down_and_released_it_comes_back(tmp_path: Path) -> None:
    async with kept(spec(python(host(tmp_path), SLEEPER))) as (keeper, readied):
        await until(lambda: keeper.state is ComponentState.READY)
        keeper.hold()
        await until(lambda: keeper.state is ComponentState.HELD and keeper.component.pid is None)
        assert keeper.component.detail == "kvdeck start a releases it"
        assert keeper.component.failures == 0
        keeper.release()
        await until(lambda: keeper.state is ComponentState.READY)
        assert len(readied) == 2


async def test_release_does_not_wait_for_the_back_off(tmp_path: Path) -> None:
    crasher = spec(python(host(tmp_path), f"print('here', flush=True); {CRASHER}"), Obedient(fault="not yet"))
    async with kept(crasher, Backoff(first=600, limit=600)) as (keeper, _):
        await until(lambda: keeper.state is ComponentState.FAILED and keeper.component.pid is None)
        keeper.release()
        await until(lambda: (tmp_path / "logs" / "a.log").read_text() == "here\nhere\n")


async def test_release_of_one_that_runs_changes_nothing_and_its_crash_is_still_seen(tmp_path: Path) -> None:
    async with kept(spec(python(host(tmp_path), SLEEPER)), Backoff(first=600, limit=600)) as (keeper, _):
        await until(lambda: keeper.state is ComponentState.READY)
        pid = keeper.component.pid
        keeper.release()
        await asyncio.sleep(0)
        assert keeper.component.pid == pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: keeper.state is ComponentState.FAILED)


async def test_renewed_it_starts_again_without_a_failure(tmp_path: Path) -> None:
    async with kept(spec(python(host(tmp_path), SLEEPER)), Backoff(first=600, limit=600)) as (keeper, readied):
        await until(lambda: keeper.state is ComponentState.READY)
        keeper.renew()
        assert keeper.state is ComponentState.STARTING
        await until(lambda: len(readied) == 2)
        assert keeper.component.failures == 0


async def test_it_waits_for_what_must_be_ready_first(tmp_path: Path) -> None:
    missing: tuple[str, ...] = ("redis", "lmcache")
    async with kept(spec(python(host(tmp_path), SLEEPER)), blockers=lambda _: missing) as (keeper, _):
        await until(lambda: keeper.component.detail == "waits for redis, lmcache")
        assert keeper.component.pid is None
        missing = ()
        await until(lambda: keeper.state is ComponentState.READY)


async def test_one_that_is_not_ready_in_time_has_failed(tmp_path: Path) -> None:
    slow = spec(python(host(tmp_path), SLEEPER), Obedient(fault="no connection yet"), ready_within=0.1)
    async with kept(slow, Backoff(first=600, limit=600)) as (keeper, _):
        await until(lambda: keeper.state is ComponentState.FAILED and keeper.component.pid is None)
        assert keeper.component.detail == "not ready after 0 s: no connection yet, restart 1 in 600 s"


class Fleeting:
    """A life that a test ends; `stops` counts how often it was told to."""

    pid = None

    def __init__(self) -> None:
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.stops = 0

    async def start(self, name: str) -> Running:
        return self

    async def wait(self) -> str:
        return await asyncio.shield(self.ended)

    async def stop(self) -> None:
        self.stops += 1
        with suppress(asyncio.InvalidStateError):
            self.ended.set_result("told to")


async def test_whatever_ended_it_its_rest_is_cleared_away() -> None:
    life = Fleeting()
    async with kept(spec(life), Backoff(first=600, limit=600)) as (keeper, _):
        await until(lambda: keeper.state is ComponentState.READY)
        life.ended.set_result("the emulator is gone")
        await until(lambda: keeper.component.detail == "the emulator is gone, restart 1 in 600 s")
        assert life.stops == 1


async def test_a_keeper_that_is_cancelled_leaves_nothing_running() -> None:
    life = Fleeting()
    keeper = Keeper(
        spec(life), blockers=lambda _: (), on_ready=lambda *_: None, leaving=_at_once, clock=lambda: 0.0, backoff=Backoff()
    )
    task = asyncio.create_task(keeper.run())
    await until(lambda: keeper.state is ComponentState.READY)
    task.cancel()
    waiting: Awaitable[None] = task
    with suppress(asyncio.CancelledError):
        await waiting
    assert life.stops == 1
