"""An observing router takes another gateway's requests, says what it would have done, and touches nothing."""

from __future__ import annotations

from pathlib import Path

import httpx

from stack.control.link import Trial
from stack.control.state import Dpd, LoadLimits, ModelState
from stack.model.tier import Pool
from tests.stack.router.bench import LONG, fleet, state
from tests.stack.router.fakes import MODEL, FakeEngine
from tests.stack.router.waiting import until


async def test_a_mirrored_request_is_decided_recorded_and_sent_nowhere(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, observe=True) as bench:
        answer = await bench.chat(headers={"X-Request-Id": "theirs"})
        record = await bench.record()
        counted = await bench.metric("kvdeck_router_observed_requests_total")
        routed = await bench.metric("kvdeck_router_requests_total")
    assert (answer.status_code, answer.content, answer.headers["x-request-id"]) == (204, b"", "theirs")
    assert (record.request_id, record.observed, record.engine, record.path) == ("theirs", True, "decode-0", "direct")
    assert (record.ttft_seconds, record.phases, record.cached_tokens) == (None, {}, None)
    assert [shadow.strategy for shadow in record.shadows] == ["kv_aware", "prefix_aware", "session"]
    assert [engine.seen for engine in engines] == [[], []]
    assert counted == {f'{{model_name="{MODEL}",path="direct",strategy="round_robin"}}': 1.0}
    assert routed == {}


async def test_an_observing_router_takes_no_part_in_experiments(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), observe=True) as bench:
        bench.apply(2, state("round_robin"), experiment=Trial(id="e1", share=0.9, candidate=state("session")))
        await bench.chat()
        record = await bench.record()
        assert (record.experiment, bench.router.configuration.current.experiments) == (None, ())


async def test_the_path_it_would_have_taken_is_in_the_record(tmp_path: Path) -> None:
    engines = FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0")
    async with fleet(tmp_path, *engines, observe=True) as bench:
        assert (await bench.chat(LONG, stream=True)).status_code == 204
        record = await bench.record()
    assert (record.path, record.prefill_engine, record.compared, record.streamed) == ("dpd", "prefill-0", "752 >= 512", True)


async def test_a_request_is_taken_to_be_in_flight_for_a_while_and_no_limit_applies(tmp_path: Path) -> None:
    limited = ModelState(strategy="session", dpd=Dpd(enabled=False), limits=LoadLimits(in_flight=1))
    async with fleet(tmp_path, FakeEngine("decode-0"), model=limited, observe=True, observed_answer_s=0.05) as bench:
        answers = [await bench.chat() for _ in range(3)]
        await until(lambda: bench.router.in_flight.counts.get("decode-0") == 3 or len(bench.router.records) == 3)
        await until(lambda: bench.router.in_flight.counts.get("decode-0") == 0)
    assert [answer.status_code for answer in answers] == [204, 204, 204]


async def test_what_is_mirrored_is_learnt_as_if_it_had_been_sent(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, model=state("prefix_aware", threshold=100_000), observe=True) as bench:
        await bench.chat(LONG)
        first = await bench.record()
        await bench.chat(LONG)
        await until(lambda: len(bench.router.records) == 2)
        second = await bench.record()
    assert (first.decode.reason, second.decode.reason, second.engine) == ("new_prefix", "longest_prefix", first.engine)


async def test_what_could_not_be_decided_is_said_and_counted(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), observe=True) as bench:
        post = bench.client.post
        answers: list[httpx.Response] = [
            await post("/v1/chat/completions", content=b"{"),
            await post("/v1/chat/completions", json={"model": "other", "messages": [{"role": "user", "content": "hello"}]}),
        ]
        counted = await bench.metric("kvdeck_router_observed_undecided_total")
    assert [answer.status_code for answer in answers] == [400, 404]
    assert counted == {'{code="4xx"}': 2.0}


async def test_health_and_readiness_say_that_it_observes(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), observe=True) as bench:
        health, ready = await bench.client.get("/health"), await bench.client.get("/ready")
    assert (health.json(), ready.json()) == ({"status": "ok", "mode": "observe"}, {"status": "observing"})
