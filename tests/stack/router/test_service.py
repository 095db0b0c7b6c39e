"""The router's paths as clients see them."""

import asyncio
from pathlib import Path

import pytest

from stack.metrics.catalog import CATALOG, ROUTER_WORKER_RESTARTS, ROUTER_WORKERS
from stack.metrics.family import Emitter
from stack.model.tier import Pool
from tests.alerts.promtool import faults_of
from tests.stack.router.bench import LONG, fleet, state
from tests.stack.router.fakes import MODEL, Exchange, FakeEngine, completion
from tests.stack.router.waiting import until


async def test_a_chat_is_answered_by_an_engine_and_says_which(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine) as bench:
        answer = await bench.chat(headers={"X-Request-Id": "mine"})
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"] == "Paris is old."
        assert answer.headers["x-request-id"] == "mine"
        said = {name: value for name, value in answer.headers.items() if name.startswith("x-kvdeck-")}
    assert said == {
        "x-kvdeck-engine": "decode-0",
        "x-kvdeck-path": "direct",
        "x-kvdeck-strategy": "round_robin",
        "x-kvdeck-generation": "0",
        "x-kvdeck-request-id": "mine",
    }


async def test_without_being_asked_an_answer_names_no_engine(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), exposed=False) as bench:
        answer = await bench.chat()
        assert not [name for name in answer.headers if name.startswith("x-kvdeck-")]


async def test_ids_traces_and_credentials_travel_to_the_engine(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with fleet(tmp_path, engine) as bench:
        answer = await bench.chat(headers={"X-Request-Id": "r1", "traceparent": trace, "Authorization": "Bearer mine"})
    assert answer.headers["traceparent"] == trace
    seen = engine.seen[0].headers
    assert (seen["x-request-id"], seen["traceparent"], seen["authorization"]) == ("r1", trace, "Bearer mine")


async def test_configured_credentials_replace_the_clients(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine, authorization="Bearer fleet") as bench:
        await bench.chat(headers={"Authorization": "Bearer mine"})
    assert engine.seen[0].headers["authorization"] == "Bearer fleet"


async def test_transfer_params_of_a_client_never_reach_an_engine(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    hostile = {"do_remote_prefill": True}
    async with fleet(tmp_path, engine) as bench:
        answer = await bench.chat(kv_transfer_params=hostile, vllm_xargs={"kv_transfer_params": hostile, "kept": 1})
    assert answer.status_code == 200
    assert "kv_transfer_params" not in engine.seen[0].body
    assert engine.seen[0].body["vllm_xargs"] == {"kept": 1}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/v1/load_lora_adapter", 404, "not_found"),
        ("POST", "/reset_prefix_cache", 404, "not_found"),
        ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
        ("POST", "/health", 405, "method_not_allowed"),
    ],
)
async def test_other_paths_are_refused_in_openais_shape(tmp_path: Path, method: str, path: str, status: int, code: str) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0")) as bench:
        answer = await bench.client.request(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_bad_bodies_and_unknown_models_are_refused_and_reach_no_engine(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine) as bench:
        answers = [
            await bench.client.post("/v1/chat/completions", content=b"{"),
            await bench.client.post("/v1/chat/completions", content=b"[" * 100_000),
            await bench.client.post("/v1/chat/completions", content=b'{"model":"\xff"}'),
            await bench.client.post("/v1/chat/completions", json={"model": "gpt-9", "messages": [{"role": "user"}]}),
        ]
        requests = await bench.metric("kvdeck_router_requests_total")
    assert [answer.status_code for answer in answers] == [400, 400, 400, 404]
    assert answers[3].json()["error"]["code"] == "model_not_found"
    assert engine.seen == []
    assert requests == {
        '{code="4xx",model_name="none",path="none"}': 4.0,
    }


async def test_what_names_a_model_passes_through_by_the_allow_list(tmp_path: Path) -> None:
    async def embed(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(200, {"object": "list", "data": [{"embedding": [0.5]}], "usage": {"prompt_tokens": 3}})

    engine = FakeEngine("decode-0", behave=embed)
    prefill = FakeEngine("prefill-0", Pool.PREFILL)
    async with fleet(tmp_path, engine, prefill, model=state(threshold=0)) as bench:
        answer = await bench.client.post("/v1/embeddings", json={"model": MODEL, "input": "hello", "user": "u"})
        record = await bench.record()
    assert answer.json()["data"] == [{"embedding": [0.5]}]
    assert engine.seen[0].body == {"model": MODEL, "input": "hello", "user": "u"}
    assert (record.path, record.path_reason, prefill.seen) == ("direct", "pass_through", [])


async def test_models_are_listed_with_the_engines_fields(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0"), FakeEngine("decode-1"), FakeEngine("other-0", model="other")) as bench:

        async def listed_fully() -> bool:
            cards = (await bench.client.get("/v1/models")).json()["data"]
            return all("max_model_len" in card for card in cards)

        await until(listed_fully)
        listed = (await bench.client.get("/v1/models")).json()
    card = {"object": "model", "owned_by": "vllm", "root": "/m", "max_model_len": 4096}
    assert listed == {"object": "list", "data": [{"id": "other", **card}, {"id": MODEL, **card}]}


async def test_a_model_that_no_configuration_names_is_served_by_default(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("other-0", model="other")) as bench:
        body = {"model": "other", "messages": [{"role": "user", "content": "hi"}]}
        answer = await bench.client.post("/v1/chat/completions", json=body)
    assert (answer.status_code, answer.headers["x-kvdeck-strategy"]) == (200, "prefix_aware")


async def test_ready_needs_a_ready_decode_engine_and_health_does_not(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0", healthy=False)
    prefill = FakeEngine("prefill-0", Pool.PREFILL)
    async with fleet(tmp_path, engine, prefill) as bench:
        ready, health, chat = await bench.client.get("/ready"), await bench.client.get("/health"), await bench.chat()
        assert (ready.status_code, health.status_code, chat.status_code) == (503, 200, 503)
        assert chat.json()["error"]["code"] == "no_ready_engine"
        assert chat.headers["retry-after"] == "1"
        engine.healthy = True
        await until(lambda: bench.health(engine) == "ready")
        assert (await bench.client.get("/ready")).status_code == 200


async def test_an_engines_refusal_reaches_the_client_word_by_word(tmp_path: Path) -> None:
    refusal = {"error": {"message": "too long", "type": "BadRequestError", "param": None, "code": 400}}

    async def refuse(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(400, refusal)

    first, second = FakeEngine("decode-0", behave=refuse), FakeEngine("decode-1", behave=refuse)
    async with fleet(tmp_path, first, second) as bench:
        answer = await bench.chat()
    assert (answer.status_code, answer.json()) == (400, refusal)
    assert len(first.seen) + len(second.seen) == 1


async def test_usage_in_a_stream_is_what_the_client_asked_for(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine) as bench:
        _, without = await bench.stream()
        _, asked = await bench.stream(stream_options={"include_usage": True})
        record = await bench.record()
    assert [event.get("usage") for event in without if event != "[DONE]"] == [None] * 4
    assert asked[-2]["usage"]["completion_tokens"] == 4
    assert "metrics" not in asked[-2]
    assert [seen.body["stream_options"] for seen in engine.seen] == [{"include_usage": True}] * 2
    assert (record.cached_tokens, record.output_tokens) == (3, 4)


async def test_a_whole_answers_body_is_complete(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0")) as bench:
        answer = (await bench.chat()).json()
    expected = completion({"messages": []})
    del expected["metrics"]
    assert answer == expected


async def test_the_router_emits_every_family_declared_for_it_and_no_other(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0")) as bench:
        await bench.stream(LONG)
        await bench.chat(LONG, n=2)
        await bench.record()
        text = (await bench.client.get("/metrics")).text
    assert faults_of(text) == ""
    emitted = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    leaders = {ROUTER_WORKERS.name, ROUTER_WORKER_RESTARTS.name}  # told where several processes share a port
    assert emitted == {name for name, family in CATALOG.items() if family.emitter is Emitter.ROUTER} - leaders


async def test_a_request_that_is_too_large_is_refused_unread_and_counted(tmp_path: Path) -> None:
    async with fleet(tmp_path, FakeEngine("decode-0")) as bench:
        reader, writer = await asyncio.open_connection(*bench.router.server.address)
        writer.write(b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n")
        assert await reader.readuntil(b" ") + await reader.readexactly(3) == b"HTTP/1.1 413"
        writer.close()
        await writer.wait_closed()
        requests = await bench.metric("kvdeck_router_requests_total")
    assert requests == {'{code="4xx",model_name="none",path="none"}': 1.0}
