"""Silence is judged by the prompts that explain it."""

import asyncio
import logging
from pathlib import Path

import pytest
from msgspec.structs import replace

from stack.fleet.engine import Standing
from stack.router.in_flight import InFlight
from stack.router.limit import Limits
from stack.router.settings import RouterSettings
from stack.router.stalls import Stalls
from tests.stack.router.bench import fleet, state
from tests.stack.router.fakes import Exchange, FakeEngine
from tests.stack.router.waiting import until

SETTINGS = RouterSettings(stall_s=10.0, stall_tokens_per_s=50.0)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Bench:
    def __init__(self) -> None:
        self.clock = Clock()
        self.in_flight = InFlight(self.clock)
        self.stalls = Stalls(self.in_flight, SETTINGS, self.clock)

    def after(self, seconds: float) -> str:
        """What is said of the engine after so much more silence."""
        self.clock.now += seconds
        self.stalls.look()
        return self.stalls.account("a")


async def test_an_engine_is_stalled_when_its_prompts_no_longer_explain_its_silence(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench()
    with bench.in_flight.attempt("a", 1000) as attempt:
        attempt.limit = Limits().start(60, "silent for")
        assert [bench.after(seconds) for seconds in (30.0, 1.0, 1.0)] == ["", "stalled for 31 s", "stalled for 32 s"]
        bench.in_flight.heard("a")
        assert bench.after(30.0) == ""
    assert bench.after(100.0) == ""
    assert [record.message for record in caplog.records] == ["engine stalled", "engine no longer stalled"]


async def test_a_whole_answer_or_a_stream_that_has_begun_is_no_stall() -> None:
    bench = Bench()
    with bench.in_flight.attempt("a", None) as whole, bench.in_flight.attempt("a", 10):
        whole.limit = Limits().start(60, "silent for")
        assert bench.after(500.0) == ""


async def test_an_idle_time_before_the_request_is_no_silence() -> None:
    bench = Bench()
    bench.in_flight.heard("a")
    bench.after(500.0)
    with bench.in_flight.attempt("a", 0) as attempt:
        attempt.limit = Limits().start(60, "silent for")
        assert [bench.after(10.0), bench.after(1.0)] == ["", "stalled for 11 s"]


@pytest.mark.parametrize("eject", [True, False])
async def test_a_stalled_engine_is_ejected_only_where_that_is_configured(tmp_path: Path, eject: bool) -> None:
    async def hang(engine: FakeEngine, exchange: Exchange) -> None:
        engine.first_token_out.set()
        await exchange.hang()

    engines = FakeEngine("decode-0", behave=hang), FakeEngine("decode-1")
    model = replace(state(), eject_stalled=eject)
    async with fleet(tmp_path, *engines, model=model, stall_s=0.01, stall_tokens_per_s=1e9, report_interval_s=0.01) as bench:
        running = asyncio.create_task(bench.chat(stream=True))
        await engines[0].first_token_out.wait()
        if eject:
            await until(lambda: bench.router.keeper.fleet.members["decode-0"].engine.standing is Standing.EJECTED)
            account = bench.router.keeper.fleet.members["decode-0"].account
            assert account.startswith("ejected for 10 s when stalled for ")
            assert {(await bench.chat()).headers["x-kvdeck-engine"] for _ in range(3)} == {"decode-1"}
        else:
            await asyncio.sleep(0.1)
            assert bench.router.keeper.fleet.members["decode-0"].engine.standing is Standing.IN
        running.cancel()


async def test_a_silent_engine_is_seen_through_the_router_and_keeps_its_requests(tmp_path: Path) -> None:
    async def hang(engine: FakeEngine, exchange: Exchange) -> None:
        engine.first_token_out.set()
        await engine.go_on.wait()
        await exchange.json(200, {"choices": []})

    engine = FakeEngine("decode-0", behave=hang)
    engine.go_on.clear()
    async with fleet(tmp_path, engine) as bench:
        stalls = Stalls(
            bench.router.in_flight, RouterSettings(stall_s=0.01, stall_tokens_per_s=1e9), asyncio.get_running_loop().time
        )
        running = asyncio.create_task(bench.chat(stream=True))
        await engine.first_token_out.wait()

        def stalled() -> bool:
            stalls.look()
            return stalls.account("decode-0") != ""

        await until(stalled)
        engine.go_on.set()
        assert (await running).status_code == 200
        assert not stalled()
