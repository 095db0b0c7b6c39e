"""Prefill on one engine, decode on another; and the direct path whenever that does not work out."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from stack.control.state import Pools, PoolState
from stack.fleet.engine import Health
from stack.model.tier import Pool
from tests.stack.router.bench import LONG, SHORT, fleet, state, text
from tests.stack.router.fakes import TRANSFER, Behaviour, Exchange, FakeEngine, chunk, completion, usage


def _pair(behave: Behaviour | None = None) -> tuple[FakeEngine, FakeEngine]:
    prefill = FakeEngine("prefill-0", Pool.PREFILL)
    if behave is not None:
        prefill.behave = behave
    return prefill, FakeEngine("decode-0")


async def test_a_long_prompt_takes_both_legs(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode) as bench:
        answer, events = await bench.stream(LONG, max_completion_tokens=9)
        record = await bench.record()
    assert text(events) == "Paris is old."
    assert {name: answer.headers.get(f"x-kvdeck-{name}") for name in ("engine", "prefill-engine", "path", "fallback")} == {
        "engine": "decode-0",
        "prefill-engine": "prefill-0",
        "path": "dpd",
        "fallback": None,
    }
    first, second = prefill.seen[0].body, decode.seen[0].body
    assert (first["max_tokens"], first["max_completion_tokens"], first["stream"]) == (1, 1, False)
    assert first["messages"] == second["messages"]
    passed_on = {name: value for name, value in TRANSFER.items() if name != "remote_prefill_cached_tokens"}
    assert second["kv_transfer_params"] == passed_on
    assert (record.path, record.prefill_engine, record.prefill and record.prefill.strategy) == ("dpd", "prefill-0", "round_robin")
    assert (record.path_reason, record.fallbacks, record.prefill_cached_tokens) == ("at_threshold", (), 0)
    assert list(record.phases) == ["router", "prefill_queue", "prefill", "decode_queue", "first_step", "decode"]
    assert record.total_seconds == pytest.approx(sum(record.phases.values()))


async def test_a_prefill_engine_that_fails_requests_is_ejected(tmp_path: Path) -> None:
    async def fails(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(500, {"error": {"message": "no", "code": 500}})

    bad, good = FakeEngine("prefill-0", Pool.PREFILL, behave=fails), FakeEngine("prefill-1", Pool.PREFILL)
    async with fleet(tmp_path, bad, good, FakeEngine("decode-0"), eject_s=60.0) as bench:
        answers = [await bench.chat(LONG) for _ in range(9)]
    assert len(bad.seen) == 3
    assert [answer.headers["x-kvdeck-path"] for answer in answers[5:]] == ["dpd"] * 4


async def test_a_short_prompt_goes_straight_to_a_decode_engine(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode) as bench:
        await bench.stream(SHORT)
        record = await bench.record()
    assert (prefill.seen, "kv_transfer_params" in decode.seen[0].body) == ([], False)
    assert (record.path, record.path_reason) == ("direct", "below_threshold")
    assert list(record.phases) == ["router", "decode_queue", "prefill", "decode"]
    assert record.total_seconds == pytest.approx(sum(record.phases.values()))


async def test_a_request_that_cannot_be_split_is_not(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode) as bench:
        answer = await bench.chat(LONG, n=2)
    assert (prefill.seen, answer.headers["x-kvdeck-fallback"]) == ([], "several_choices")


async def test_turns_are_even_in_both_pools_when_every_second_request_is_disaggregated(tmp_path: Path) -> None:
    engines = [FakeEngine(f"{pool}-{number}", pool) for pool in (Pool.PREFILL, Pool.DECODE) for number in (0, 1)]
    async with fleet(tmp_path, *engines) as bench:
        for _ in range(4):
            await bench.chat(LONG)
            await bench.chat(SHORT)
    assert {engine.name: len(engine.seen) for engine in engines} == {"prefill-0": 2, "prefill-1": 2, "decode-0": 4, "decode-1": 4}


async def _dies(engine: FakeEngine, exchange: Exchange) -> None:
    exchange.die()


async def _dies_halfway(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{")
    exchange.die()


async def _hangs(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.hang()


async def _fails(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(500, {"error": {"message": "dying", "code": 500}})


async def _talks_nonsense(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")


async def _talks_no_http(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-OpenSSH_9.2\r\n")


async def _pushes(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(200, completion(exchange.seen.body) | {"kv_transfer_params": TRANSFER | {"transfer_mode": "push"}})


async def _keeps_nothing(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(200, completion(exchange.seen.body))


async def _gives_bad_params(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(200, completion(exchange.seen.body) | {"kv_transfer_params": {"do_remote_prefill": "yes"}})


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (_dies, "prefill_died"),
        (_dies_halfway, "prefill_died"),
        (_talks_no_http, "prefill_broken"),
        (_hangs, "prefill_timeout"),
        (_fails, "prefill_refused"),
        (_talks_nonsense, "prefill_answer_malformed"),
        (_keeps_nothing, "prefill_without_params"),
        (_pushes, "nixl_push_unsupported"),
        (_gives_bad_params, "prefill_params_malformed"),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_prefill_engine_that_fails_costs_no_request(tmp_path: Path, behave: Behaviour, reason: str, streamed: bool) -> None:
    prefill, decode = _pair(behave)
    async with fleet(tmp_path, prefill, decode, prefill_timeout_s=0.05 if behave is _hangs else 5.0) as bench:
        if streamed:
            answer, events = await bench.stream(LONG)
            assert text(events) == "Paris is old."
        else:
            answer = await bench.chat(LONG)
            assert answer.json()["choices"][0]["message"]["content"] == "Paris is old."
        record = await bench.record()
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert answer.status_code == 200
    assert (answer.headers["x-kvdeck-path"], answer.headers["x-kvdeck-fallback"]) == ("direct", reason)
    assert "x-kvdeck-prefill-engine" not in answer.headers
    assert "kv_transfer_params" not in decode.seen[0].body
    assert len(decode.seen) == 1
    assert (record.path, record.prefill_engine, record.fallbacks, record.status) == ("direct", None, (reason,), 200)
    assert fallbacks == {f'{{model_name="smollm2",reason="{reason}"}}': 1.0}
    assert record.total_seconds == pytest.approx(sum(record.phases.values()))


async def test_a_prefill_engine_that_is_gone_costs_no_request_and_leaves_the_pool_after_three(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode, probe_interval_s=60.0) as bench:
        await prefill.stop()
        answers = [await bench.chat(LONG) for _ in range(4)]
        assert bench.health(prefill) is Health.NOT_READY
    assert [answer.status_code for answer in answers] == [200] * 4
    reasons = [answer.headers["x-kvdeck-fallback"] for answer in answers]
    assert reasons == ["prefill_unreachable"] * 3 + ["no_ready_prefill_engine"]


async def test_a_late_hand_over_is_not_used(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode, handover_limit_s=-1.0) as bench:
        answer, events = await bench.stream(LONG)
    assert text(events) == "Paris is old."
    assert answer.headers["x-kvdeck-fallback"] == "handover_late"
    assert "kv_transfer_params" not in decode.seen[0].body


async def test_params_are_never_used_twice(tmp_path: Path) -> None:
    prefill = FakeEngine("prefill-0", Pool.PREFILL)
    first, second = FakeEngine("decode-0", behave=_dies), FakeEngine("decode-1")
    async with fleet(tmp_path, prefill, first, second) as bench:
        answer, events = await bench.stream(LONG)
    assert text(events) == "Paris is old."
    assert "kv_transfer_params" in first.seen[0].body
    assert "kv_transfer_params" not in second.seen[0].body
    assert (answer.headers["x-kvdeck-engine"], answer.headers["x-kvdeck-path"]) == ("decode-1", "direct")
    assert answer.headers["x-kvdeck-fallback"] == "decode_died"


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_transfer_that_failed_is_told_by_what_the_decode_engine_computed(tmp_path: Path, streamed: bool) -> None:
    async def compute(engine: FakeEngine, exchange: Exchange) -> None:
        """What vLLM does with `kv_load_failure_policy` recompute: nothing but its own blocks counts as cached."""
        seen = exchange.seen.body
        if not streamed:
            await exchange.json(200, completion(seen) | {"usage": usage(seen, lost=True)})
            return
        await exchange.start_stream()
        await exchange.event(chunk("Paris"))
        await exchange.event({"choices": [], "usage": usage(seen, lost=True)})
        await exchange.end_stream()

    prefill, decode = _pair()
    decode.behave = compute
    async with fleet(tmp_path, prefill, decode) as bench:
        if streamed:
            await bench.stream(LONG)
        else:
            answer = await bench.chat(LONG)
            assert answer.headers["x-kvdeck-fallback"] == "transfer_lost"
        record = await bench.record()
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert (record.status, record.path, record.prefill_engine) == (200, "dpd", "prefill-0")
    assert (record.fallbacks, record.cached_tokens) == (("transfer_lost",), 3)
    assert fallbacks == {'{model_name="smollm2",reason="transfer_lost"}': 1.0}


async def test_an_only_decode_engine_that_chokes_on_a_hand_over_is_asked_again_without_it(tmp_path: Path) -> None:
    async def choke(engine: FakeEngine, exchange: Exchange) -> None:
        if "kv_transfer_params" in exchange.seen.body:
            await exchange.json(500, {"error": {"message": "no KV", "code": 500}})
        else:
            await exchange.json(200, completion(exchange.seen.body))

    prefill, decode = _pair()
    decode.behave = choke
    async with fleet(tmp_path, prefill, decode) as bench:
        answer = await bench.chat(LONG)
    assert (answer.status_code, answer.headers["x-kvdeck-fallback"], len(decode.seen)) == (200, "decode_error", 2)


async def test_the_kv_of_a_request_that_the_decode_engine_refuses_is_fetched_all_the_same(tmp_path: Path) -> None:
    async def refuse(engine: FakeEngine, exchange: Exchange) -> None:
        if exchange.seen.body["max_tokens"] == 9_999:
            await exchange.json(400, {"error": {"message": "too many"}})
        else:
            await exchange.json(200, completion(exchange.seen.body))

    prefill, decode = _pair()
    decode.behave = refuse
    async with fleet(tmp_path, prefill, decode) as bench:
        answer = await bench.chat(LONG, max_tokens=9_999, stop=["x"])
    assert (answer.status_code, answer.json(), answer.headers["x-kvdeck-path"]) == (400, {"error": {"message": "too many"}}, "dpd")
    refused, fetched = (seen.body for seen in decode.seen)
    assert fetched == prefill.seen[0].body | {"kv_transfer_params": refused["kv_transfer_params"]}


async def test_pools_whose_protocol_is_not_spoken_are_not_disaggregated(tmp_path: Path) -> None:
    prefill, decode = _pair()
    model = replace(state(), pools=Pools(prefill=PoolState(replicas=1, protocol="MooncakeConnector")))
    async with fleet(tmp_path, prefill, decode, model=model) as bench:
        long, short = await bench.chat(LONG), await bench.chat(SHORT)
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert (prefill.seen, long.status_code, short.status_code) == ([], 200, 200)
    assert long.headers["x-kvdeck-fallback"] == "mooncake_unsupported"
    assert fallbacks == {'{model_name="smollm2",reason="mooncake_unsupported"}': 1.0}


async def test_threshold_zero_disaggregates_everything(tmp_path: Path) -> None:
    prefill, decode = _pair()
    async with fleet(tmp_path, prefill, decode, model=state(threshold=0)) as bench:
        answer = await bench.chat(SHORT)
    assert answer.headers["x-kvdeck-path"] == "dpd"
