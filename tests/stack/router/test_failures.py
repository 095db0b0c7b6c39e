"""Decode engines that fail, before the first byte and after it; clients that leave; routers that are told to stop."""

import asyncio
from pathlib import Path

import httpx
import pytest

from stack.control.state import ModelState
from stack.fleet.engine import Health, Standing
from stack.fleet.machine import TrialDue
from stack.model.tier import Pool
from tests.stack.router.bench import RouterBench, fleet, state, text
from tests.stack.router.fakes import WORDS, Behaviour, Exchange, FakeEngine, answer, chunk, completion, metrics, usage
from tests.stack.router.waiting import until


async def _dies(engine: FakeEngine, exchange: Exchange) -> None:
    exchange.die()


async def _fails(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(500, {"error": {"message": "EngineCore died", "type": "InternalServerError", "code": 500}})


async def _dies_after_the_head(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    exchange.die()


async def _fails_in_the_first_event(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.event({"error": {"message": "EngineCore died", "type": "InternalServerError", "code": 500}})
    await exchange.end_stream()


async def _ends_without_a_word(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.raw(b"0\r\n\r\n")


async def _talks_no_http(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-OpenSSH_9.2\r\n")


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (_dies, "decode_died"),
        (_fails, "decode_error"),
        (_dies_after_the_head, "decode_died"),
        (_fails_in_the_first_event, "decode_error"),
        (_ends_without_a_word, "decode_broken"),
        (_talks_no_http, "decode_broken"),
    ],
)
async def test_a_stream_that_fails_before_its_first_byte_is_tried_on_another_engine(
    tmp_path: Path, behave: Behaviour, reason: str
) -> None:
    engines = FakeEngine("decode-0", behave=behave), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines) as bench:
        response, events = await bench.stream()
        record = await bench.record()
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert (text(events), events[-1]) == ("Paris is old.", "[DONE]")
    assert (response.headers["x-kvdeck-engine"], response.headers["x-kvdeck-fallback"]) == ("decode-1", reason)
    assert (record.engine, record.status, record.error) == ("decode-1", 200, None)
    assert fallbacks == {f'{{model_name="smollm2",reason="{reason}"}}': 1.0}


async def _dies_within(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{")
    exchange.die()


@pytest.mark.parametrize("behave", [_dies, _fails, _dies_within])
async def test_a_whole_answer_that_fails_is_tried_on_another_engine(tmp_path: Path, behave: Behaviour) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0", behave=behave), FakeEngine("decode-1")) as bench:
        response = await bench.chat()
    assert (response.status_code, response.headers["x-kvdeck-engine"]) == (200, "decode-1")


async def test_an_engine_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, probe_interval_s=60.0) as bench:
        await engines[0].stop()
        answers = [await bench.chat() for _ in range(4)]
    assert [(a.status_code, a.headers["x-kvdeck-engine"]) for a in answers] == [(200, "decode-1")] * 4


async def test_a_second_failure_is_the_clients(tmp_path: Path) -> None:
    engines = [FakeEngine(f"decode-{number}", behave=_dies) for number in range(3)]
    async with fleet(tmp_path, *engines) as bench:
        response = await bench.chat()
        record = await bench.record()
    assert (response.status_code, response.json()["error"]["code"]) == (502, "engine_lost")
    assert sum(bool(engine.seen) for engine in engines) == 2
    assert (record.status, record.error) == (502, "engine_lost")


async def test_retries_are_a_small_share_of_the_requests_and_beyond_it_a_failure_is_the_clients(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0", behave=_fails), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, retries_saved=2.0, eject_after=100) as bench:
        answered = [(await bench.chat()).status_code for _ in range(8)]
        record = await bench.record()
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert answered == [200, 200, 200, 200, 500, 200, 500, 200]
    assert (record.engine, record.fallbacks) == ("decode-1", ())
    assert fallbacks == {
        '{model_name="smollm2",reason="decode_error"}': 2.0,
        '{model_name="smollm2",reason="retry_budget"}': 2.0,
    }


async def test_what_reached_no_engine_is_tried_on_another_one_whatever_the_budget_says(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, retries_saved=1.0, retry_share=0.0, probe_interval_s=60.0) as bench:
        await engines[0].stop()
        answered = [(await bench.chat()).status_code for _ in range(8)]
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert answered == [200] * 8
    assert fallbacks == {'{model_name="smollm2",reason="decode_unreachable"}': 3.0}


@pytest.mark.parametrize("behave", [_dies, _fails, _fails_in_the_first_event])
async def test_an_engine_with_green_health_that_fails_requests_is_ejected_until_a_trial_succeeds(
    tmp_path: Path, behave: Behaviour
) -> None:
    engine = FakeEngine("decode-0", behave=behave)
    async with fleet(tmp_path, engine, FakeEngine("decode-1"), eject_s=60.0, eject_max_s=60.0) as bench:
        for _ in range(5):
            await bench.stream()
        ejections = await bench.metric("kvdeck_router_ejections_total")
        engine.behave = answer
        seen = len(engine.seen)
        await until(lambda: bench.health(engine) is Health.READY)
        meanwhile = [response.headers["x-kvdeck-engine"] for response in [await bench.chat() for _ in range(3)]]
        bench.router.keeper.apply(TrialDue(engine.name))
        back = {response.headers["x-kvdeck-engine"] for response in [await bench.chat() for _ in range(4)]}
    assert ejections == {'{backend="decode-0",model_name="smollm2",pool="decode"}': 1.0}
    assert (meanwhile, len(engine.seen)) == (["decode-1"] * 3, seen + 2)
    assert back == {"decode-0", "decode-1"}


def _standing(bench: RouterBench, engine: FakeEngine) -> Standing:
    return bench.router.keeper.fleet.members[engine.name].engine.standing


async def test_no_4xx_counts_against_an_engine_or_is_tried_elsewhere(tmp_path: Path) -> None:
    """On either leg: the prefill engine's refusal leads to the decode engine, whose refusal is the client's."""
    statuses = iter(range(400, 500))

    async def refuses(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(status, {"error": {"message": "no", "code": status}})

    engines = FakeEngine("prefill-0", Pool.PREFILL, behave=refuses), FakeEngine("decode-0", behave=refuses), FakeEngine("decode-1")
    engines[2].behave = refuses
    async with fleet(tmp_path, *engines, model=state(threshold=0), eject_after=1) as bench:
        for status in statuses:
            assert (await bench.chat()).status_code == status
            members = bench.router.keeper.fleet.members.values()
            assert [(member.engine.standing, member.failures) for member in members] == [(Standing.IN, 0)] * 3
    assert [len(engine.seen) for engine in engines] == [100, 50, 50]


async def test_an_engines_own_5xx_is_passed_on_when_nobody_else_is_there(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0", behave=_fails)) as bench:
        response = await bench.chat()
    assert (response.status_code, response.json()["error"]["message"]) == (500, "EngineCore died")


async def test_an_error_that_is_not_openais_is_put_into_its_shape(tmp_path: Path) -> None:
    async def missing(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(404, {"detail": "Not Found"})

    async with fleet(tmp_path, FakeEngine("decode-0", behave=missing)) as bench:
        response = await bench.chat()
    assert (response.status_code, response.json()["error"]["type"]) == (404, "not_found_error")


async def _dies_in_the_middle(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.event(chunk("Paris"))
    engine.first_token_out.set()
    await engine.go_on.wait()
    exchange.die()


async def _falls_silent(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.event(chunk("Paris"))
    await exchange.hang()


async def _ends_too_early(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.event(chunk("Paris"))
    await exchange.raw(b"0\r\n\r\n")


@pytest.mark.parametrize(
    ("behave", "code", "status"),
    [(_dies_in_the_middle, "engine_lost", 502), (_falls_silent, "token_gap", 504), (_ends_too_early, "engine_lost", 502)],
)
async def test_a_stream_that_breaks_ends_with_an_error_event(tmp_path: Path, behave: Behaviour, code: str, status: int) -> None:
    engines = FakeEngine("decode-0", behave=behave), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, token_gap_s=0.05) as bench:
        response, events = await bench.stream()
        record = await bench.record()
    assert response.status_code == 200
    assert events[0] == chunk("Paris")
    assert events[1]["error"]["code"] == code
    assert events[2:] == ["[DONE]"]
    assert engines[1].seen == []
    assert (record.status, record.error) == (status, code)


async def test_an_engine_that_never_begins_is_a_timeout(tmp_path: Path) -> None:
    async def hang(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.start_stream()
        await exchange.hang()

    engines = FakeEngine("decode-0", behave=hang), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, first_token_s=0.05) as bench:
        async with bench.streaming() as response:
            await response.aread()
        whole = await bench.chat()
        assert (response.status_code, response.json()["error"]["code"]) == (504, "engine_timeout")
        assert whole.status_code == 200
        async with asyncio.timeout(60):
            await engines[0].left.wait()


async def test_who_waits_on_an_engine_that_went_away_is_served_by_another(tmp_path: Path) -> None:
    async def hang(engine: FakeEngine, exchange: Exchange) -> None:
        engine.first_token_out.set()
        await exchange.hang()

    engines = FakeEngine("decode-0", behave=hang), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines) as bench:
        waiting = asyncio.create_task(bench.chat())
        await engines[0].first_token_out.wait()
        engines[0].healthy = False
        response = await waiting
    assert (response.status_code, response.headers["x-kvdeck-engine"]) == (200, "decode-1")


async def test_a_client_that_leaves_stops_the_engine_at_once(tmp_path: Path) -> None:
    async def talk(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.start_stream()
        await exchange.event(chunk("Paris"))
        await exchange.hang()

    engine = FakeEngine("decode-0", behave=talk)
    async with fleet(tmp_path, engine) as bench:
        async with bench.streaming() as response:
            async for _ in response.aiter_bytes():
                break
        async with asyncio.timeout(60):
            await engine.left.wait()
        record = await bench.record()
        assert bench.router.in_flight.counts["decode-0"] == 0
        requests = await bench.metric("kvdeck_router_requests_total")
    assert (record.status, record.error) == (499, "client_left")
    assert requests == {'{code="aborted",model_name="smollm2",path="direct"}': 1.0}


async def test_a_client_that_leaves_after_the_last_event_got_a_whole_answer(tmp_path: Path) -> None:
    async def linger(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.start_stream()
        await exchange.event(chunk("Paris"))
        await exchange.event({"id": "c", "choices": [], "usage": usage(), "metrics": metrics()})
        await exchange.event("[DONE]")
        await exchange.hang()

    engine = FakeEngine("decode-0", behave=linger)
    async with fleet(tmp_path, engine) as bench:
        async with bench.streaming() as response:
            async for line in response.aiter_lines():
                if line == "data: [DONE]":
                    break
        record = await bench.record()
    assert (record.status, record.error, record.output_tokens) == (200, None, 4)


async def test_an_engine_that_left_takes_its_series_along(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines) as bench:
        for _ in range(4):
            await bench.chat()
        bench.list_engines(engines[1])
        await until(lambda: "decode-0" not in bench.router.keeper.fleet.members)
        text_ = (await bench.client.get("/metrics")).text
    assert 'backend="decode-1"' in text_
    assert 'backend="decode-0"' not in text_


async def test_draining_engines_take_no_new_requests_and_finish_the_old(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    engines[0].go_on.clear()
    async with fleet(tmp_path, *engines) as bench:
        running = asyncio.create_task(bench.stream())
        await engines[0].first_token_out.wait()
        bench.apply(1, _round_robin(), draining=("decode-0",))
        answers = [await bench.chat() for _ in range(3)]
        engines[0].go_on.set()
        _, events = await running
    assert [a.headers["x-kvdeck-engine"] for a in answers] == ["decode-1"] * 3
    assert text(events) == "Paris is old."


def _round_robin() -> ModelState:
    return state("round_robin")


async def test_a_router_that_stops_lets_streams_finish_and_says_not_ready(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    engine.go_on.clear()
    async with fleet(tmp_path, engine, accept_delay_s=0.3) as bench:
        running = asyncio.create_task(bench.stream())
        await engine.first_token_out.wait()
        stopping = asyncio.create_task(bench.router.stop())
        await _until_not_ready(bench)
        engine.go_on.set()
        _, events = await running
        assert await stopping
    assert text(events) == "".join(WORDS)


async def _until_not_ready(bench: RouterBench) -> None:
    async def refused() -> bool:
        return (await bench.client.get("/ready")).status_code == 503

    await until(refused)


async def test_streams_that_outlive_the_drain_time_are_cut(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    engine.go_on.clear()
    async with fleet(tmp_path, engine, drain_s=0.02) as bench:
        running = asyncio.create_task(bench.stream())
        await engine.first_token_out.wait()
        assert not await bench.router.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            await running
        engine.go_on.set()


async def test_whatever_fails_in_measuring_costs_no_request(tmp_path: Path) -> None:
    async def odd(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(200, completion(exchange.seen.body) | {"usage": {"prompt_tokens": -5, "completion_tokens": "x"}})

    engine = FakeEngine("decode-0", behave=odd)
    async with fleet(tmp_path, engine) as bench:
        response = await bench.chat()
        engine.behave = answer
        again = await bench.chat()
    assert (response.status_code, again.status_code) == (200, 200)
