"""Limits on what is under way: who goes, who waits, who is refused, and who is let in when somebody has gone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from stack.cache.rates import RateBook
from stack.control.state import Dpd, LoadLimits, ModelState
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member
from stack.model.rates import PROFILE
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.admission import Admission, OverLimitError
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup
from tests.stack.router.bench import LONG, fleet
from tests.stack.router.fakes import FakeEngine
from tests.stack.router.waiting import until


def _engine(name: str, pool: Pool = Pool.DECODE) -> Member:
    return Member(Engine(Target(replica=name, url=f"http://{name}", pool=pool, model="m", model_root="/m"), health=Health.READY))


class Gate:
    """An admission over two decode engines; requests that are let in stay until `leave`."""

    def __init__(self, **limits: Any) -> None:
        self.limits = LoadLimits(**limits)
        self.in_flight = InFlight()
        self.fleet = Fleet.of([_engine("d0"), _engine("d1"), _engine("p0", Pool.PREFILL)])
        self.admission = Admission(self.in_flight, Lineup(self.in_flight, RateBook(PROFILE)), lambda: self.fleet)
        self.outcomes: dict[str, str] = {}
        self._leave: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, engine: str = "d0") -> str:
        """`name`, whose model comes before a colon, asks to go to `engine`; what has become of it once everybody had their turn."""
        self.outcomes[name], self._leave[name] = "waits", asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._request(name, engine))
        return await self.now(name)

    async def leave(self, name: str) -> None:
        self._leave[name].set()
        await self.now(name)

    async def hang_up(self, name: str) -> None:
        self._tasks[name].cancel()
        await self.now(name)

    async def now(self, name: str) -> str:
        for _ in range(12):
            await asyncio.sleep(0)
        return self.outcomes[name]

    async def end(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _request(self, name: str, engine: str) -> None:
        try:
            await self.admission.enter(name.split(":")[0] if ":" in name else "m", self.limits, "m")
        except OverLimitError as error:
            self.outcomes[name] = error.refusal.value
            return
        with self.in_flight.attempt(engine):
            self.outcomes[name] = "goes"
            await self._leave[name].wait()


async def test_adapters_share_their_models_limits_and_who_came_first_goes_first() -> None:
    gate = Gate(in_flight=1, queue=2)
    gate.fleet = Fleet.of(replace(member, adapters=frozenset({"sql"})) for member in gate.fleet.members.values())
    assert [await gate.come(name) for name in ("m:1", "sql:2", "m:3", "sql:4")] == ["goes", "waits", "waits", "queue_full"]
    assert (gate.admission.queued("m"), gate.admission.queued("sql")) == (2, 0)
    await gate.leave("m:1")
    assert (await gate.now("sql:2"), await gate.now("m:3")) == ("goes", "waits")
    await gate.leave("sql:2")
    assert await gate.now("m:3") == "goes"
    await gate.end()


async def test_who_waits_for_an_adapters_engines_does_not_hold_up_the_model() -> None:
    gate = Gate(in_flight_per_engine=1, queue=5)
    gate.fleet = Fleet.of(replace(m, adapters=frozenset({"sql"} if m.name == "d0" else ())) for m in gate.fleet.members.values())
    assert [await gate.come("sql:1", "d0"), await gate.come("sql:2", "d0"), await gate.come("m:3", "d1")] == [
        "goes",
        "waits",
        "goes",
    ]
    await gate.leave("sql:1")
    assert await gate.now("sql:2") == "goes"
    await gate.end()


async def test_beyond_what_is_allowed_at_once_a_request_is_refused() -> None:
    gate = Gate(in_flight=2)
    assert [await gate.come(name) for name in "abc"] == ["goes", "goes", "in_flight"]
    await gate.leave("a")
    assert await gate.come("d") == "goes"
    await gate.end()


async def test_an_engine_that_is_full_leaves_the_others() -> None:
    gate = Gate(in_flight_per_engine=1)
    assert [await gate.come(*request) for request in (("a", "d0"), ("b", "d1"), ("c", "d0"))] == ["goes", "goes", "engines_full"]
    await gate.end()


async def test_requests_wait_in_the_order_they_came_and_go_one_by_one() -> None:
    gate = Gate(in_flight=1, queue=2)
    assert [await gate.come(name) for name in "abcd"] == ["goes", "waits", "waits", "queue_full"]
    assert gate.admission.queued("m") == 2
    await gate.leave("a")
    assert gate.outcomes == {"a": "goes", "b": "goes", "c": "waits", "d": "queue_full"}
    assert await gate.come("e") == "waits"
    await gate.leave("b")
    assert (gate.outcomes["c"], gate.outcomes["e"]) == ("goes", "waits")
    await gate.end()
    assert (gate.admission.queued("m"), gate.in_flight.total, gate.in_flight.freed) == (0, 0, None)


async def test_who_leaves_the_queue_makes_room_and_keeps_nobody_up() -> None:
    gate = Gate(in_flight=1, queue=2)
    assert [await gate.come(name) for name in "abc"] == ["goes", "waits", "waits"]
    await gate.hang_up("b")
    assert (gate.admission.queued("m"), await gate.come("d")) == (1, "waits")
    await gate.leave("a")
    assert (gate.outcomes["c"], gate.outcomes["d"]) == ("goes", "waits")
    await gate.end()


async def test_who_leaves_just_as_its_turn_comes_passes_it_on() -> None:
    gate = Gate(in_flight=1, queue=2)
    assert [await gate.come(name) for name in "abc"] == ["goes", "waits", "waits"]
    gate._leave["a"].set()
    await asyncio.sleep(0)
    await gate.hang_up("b")
    assert await gate.now("c") == "goes"
    await gate.end()


async def test_a_request_between_two_legs_makes_no_room() -> None:
    gate = Gate(in_flight=1, queue=1)
    with gate.in_flight.attempt("d0"):
        assert await gate.come("a") == "waits"
    with gate.in_flight.attempt("d0"):  # in the same moment: the next leg
        assert await gate.now("a") == "waits"
    assert await gate.now("a") == "goes"
    await gate.end()


async def test_whoever_waits_too_long_is_refused() -> None:
    gate = Gate(in_flight=1, queue=1, queue_seconds=0.01)
    assert [await gate.come(name) for name in "ab"] == ["goes", "waits"]
    await until(lambda: gate.outcomes["b"] == "queue_timeout")
    await gate.end()


async def test_an_engine_that_joins_takes_who_waits() -> None:
    gate = Gate(in_flight_per_engine=1, queue=4)
    assert [await gate.come(*request) for request in (("a", "d0"), ("b", "d1"), ("c", "d2"))] == ["goes", "goes", "waits"]
    before, gate.fleet = gate.fleet, Fleet.of([_engine(f"d{number}") for number in range(3)])
    gate.admission.fleet_changed(before, gate.fleet)
    assert await gate.now("c") == "goes"
    await gate.end()


async def test_the_queue_shrinks_with_the_engines() -> None:
    gate = Gate(in_flight=1, queue=9, queue_per_engine=1)
    assert [await gate.come(name) for name in "abcd"] == ["goes", "waits", "waits", "queue_full"]
    await gate.end()


async def test_that_no_engine_is_ready_is_no_limit() -> None:
    gate = Gate(in_flight_per_engine=1)
    gate.fleet = Fleet.of(())
    assert await gate.come("a") == "goes"
    await gate.end()


def _model(**limits: Any) -> ModelState:
    return ModelState(strategy="round_robin", dpd=Dpd(routing_threshold=512), limits=LoadLimits(**limits))


def _held(name: str, pool: Pool = Pool.DECODE) -> FakeEngine:
    """An engine whose streams stop after their first token, until `go_on`."""
    engine = FakeEngine(name, pool)
    engine.go_on.clear()
    return engine


async def test_a_refusal_is_openais_says_when_to_come_again_and_is_counted(tmp_path: Path) -> None:
    engine = _held("decode-0")
    async with fleet(tmp_path, engine, model=_model(in_flight=1)) as bench, bench.streaming() as first:
        refused = await bench.chat()
        counted = await bench.metric("kvdeck_router_limited_requests_total")
        requests = await bench.metric("kvdeck_router_requests_total")
        engine.go_on.set()
        await first.aread()
    error = refused.json()["error"]
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert (error["type"], error["code"], error["param"]) == ("rate_limit_error", "in_flight", None)
    assert counted == {'{model_name="smollm2",reason="in_flight"}': 1.0}
    assert requests == {'{code="4xx",model_name="smollm2",path="none"}': 1.0}
    assert len(engine.seen) == 1


async def test_a_request_that_waited_is_served_and_its_wait_is_the_routers_phase(tmp_path: Path) -> None:
    engine = _held("decode-0")
    async with fleet(tmp_path, engine, model=_model(in_flight=1, queue=1)) as bench:
        async with bench.streaming() as first:
            second = asyncio.create_task(bench.chat())
            await until(lambda: bench.queued == 1)
            waiting = await bench.metric("kvdeck_router_queued_requests")
            await asyncio.sleep(0.05)
            engine.go_on.set()
            await first.aread()
        answer = await second
        record = await bench.record()
    assert waiting == {'{model_name="smollm2"}': 1.0}
    assert (answer.status_code, len(engine.seen)) == (200, 2)
    assert record.phases["router"] >= 0.05


async def test_a_client_that_leaves_the_queue_never_reaches_an_engine(tmp_path: Path) -> None:
    engine = _held("decode-0")
    async with fleet(tmp_path, engine, model=_model(in_flight=1, queue=1)) as bench, bench.streaming() as first:
        second = asyncio.create_task(bench.chat())
        await until(lambda: bench.queued == 1)
        second.cancel()
        with suppress(asyncio.CancelledError, httpx.HTTPError):
            await second
        await until(lambda: bench.queued == 0)
        engine.go_on.set()
        await first.aread()
        assert (await bench.chat()).status_code == 200
    assert len(engine.seen) == 2


async def test_prefill_engines_that_are_full_are_passed_by(tmp_path: Path) -> None:
    prefill = FakeEngine("prefill-0", Pool.PREFILL)
    decoders = [_held(f"decode-{number}") for number in range(2)]
    async with fleet(tmp_path, prefill, *decoders, model=_model(in_flight_per_engine=1)) as bench:
        with bench.router.in_flight.attempt("prefill-0"):
            answer = await bench.chat(LONG)
    assert (answer.status_code, prefill.seen) == (200, [])
    assert (answer.headers["x-kvdeck-path"], answer.headers["x-kvdeck-fallback"]) == ("direct", "prefill_engines_full")


@pytest.mark.parametrize("change", [_model(), _model(in_flight=2)])
async def test_limits_are_changed_live(tmp_path: Path, change: ModelState) -> None:
    engine = _held("decode-0")
    async with fleet(tmp_path, engine, model=_model(in_flight=1)) as bench, bench.streaming() as first:
        refused = await bench.chat()
        bench.apply(1, change)
        allowed = await bench.chat()
        engine.go_on.set()
        await first.aread()
    assert (refused.status_code, allowed.status_code) == (429, 200)
