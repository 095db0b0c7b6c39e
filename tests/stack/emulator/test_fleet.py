import asyncio
from pathlib import Path

import httpx
import pytest

from stack.emulator.fleet import Fleet, FleetError
from stack.emulator.identity import EngineSpec
from stack.model.tier import Pool

SPEC = EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere")
PREFILL = EngineSpec(pool=Pool.PREFILL, port=0, model="m", model_root="/nowhere")
PROMPT = "one sentence of a longer document " * 60
PRODUCE = {"do_remote_decode": True, "do_remote_prefill": False, "remote_engine_id": None, "remote_block_ids": None}


async def complete(http: httpx.AsyncClient, url: str, **fields: object) -> httpx.Response:
    return await http.post(f"{url}/v1/completions", json={"model": "m", "prompt": PROMPT, "max_tokens": 8, **fields})


async def metric(http: httpx.AsyncClient, url: str, name: str) -> float:
    lines = (await http.get(f"{url}/metrics")).text.splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name}{{"))


async def test_an_engine_says_what_it_is(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    (card,) = (await http.get(f"{engine.url}/v1/models")).json()["data"]
    assert (card["id"], card["root"], card["max_model_len"], card["emulated"]) == ("m", "/nowhere", 4096, True)
    assert (await http.get(f"{engine.url}/version")).json() == {"version": "0.32.0", "emulated": True}
    assert (await http.get(f"{engine.url}/health")).status_code == 200
    assert (engine.state, engine.emulated) == ("ready", True)


async def test_a_chat_is_answered_in_the_real_engines_shape(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 5}
    answer = (await http.post(f"{engine.url}/v1/chat/completions", json=body, headers={"x-request-id": "abc"})).json()
    assert answer["id"] == "chatcmpl-abc"
    assert answer["object"] == "chat.completion"
    assert answer["system_fingerprint"] == "emulated"
    (choice,) = answer["choices"]
    assert choice["message"]["content"].startswith("[emulated]")
    assert (choice["message"]["role"], choice["finish_reason"]) == ("assistant", "length")
    assert answer["usage"] == {
        "prompt_tokens": 8,
        "total_tokens": 13,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    assert answer["metrics"].keys() == {
        "time_to_first_token_ms",
        "generation_time_ms",
        "queue_time_ms",
        "mean_itl_ms",
        "tokens_per_second",
    }
    assert answer["kv_transfer_params"] is None


async def test_a_stream_has_one_chunk_a_token_then_usage_then_done(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    body = {
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": 3,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    answer = await http.post(f"{engine.url}/v1/chat/completions", json=body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]
    assert events[-1] == "[DONE]"
    chunks = [httpx.Response(200, text=event).json() for event in events[:-1]]
    assert [len(chunk["choices"]) for chunk in chunks] == [1, 1, 1, 1, 0]
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks[:-1]] == [None, None, None, "length"]
    assert chunks[-1]["usage"]["completion_tokens"] == 3
    assert "queue_time_ms" in chunks[-1]["metrics"]
    assert "usage" not in chunks[-2]


async def test_without_include_usage_the_last_token_carries_the_fingerprint(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    text = (await complete(http, engine.url, stream=True, max_tokens=2)).text
    *_, last, done = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert done == "[DONE]"
    assert '"system_fingerprint":"emulated"' in last
    assert '"usage"' not in text


async def test_an_unknown_model_and_an_unknown_path_are_not_found(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    answer = await complete(http, engine.url, model="other")
    assert answer.status_code == 404
    assert answer.json() == {
        "error": {"message": "The model `other` does not exist.", "type": "NotFoundError", "param": "model", "code": 404}
    }
    assert (await http.post(f"{engine.url}/v1/embeddings", json={})).status_code == 404


async def test_tokens_are_what_tokenize_says(fleet: Fleet, http: httpx.AsyncClient) -> None:
    engine = await fleet.start("decode-0", SPEC)
    tokens = (await http.post(f"{engine.url}/tokenize", json={"prompt": "hello world", "return_token_strs": True})).json()
    assert (tokens["count"], tokens["max_model_len"], tokens["token_strs"]) == (3, 4096, ["hell", "o wo", "rld"])
    text = (await http.post(f"{engine.url}/detokenize", json={"tokens": tokens["tokens"]})).json()
    assert text == {"prompt": "hello world"}


async def test_a_prompt_goes_from_prefill_to_decode(fleet: Fleet, http: httpx.AsyncClient) -> None:
    prefill, decode = await fleet.start("prefill-0", PREFILL), await fleet.start("decode-0", SPEC)
    params = (await complete(http, prefill.url, max_tokens=1, kv_transfer_params=PRODUCE)).json()["kv_transfer_params"]
    assert (params["do_remote_prefill"], params["transfer_mode"], params["remote_num_tokens"]) == (True, "pull", 510)
    moved = (await complete(http, decode.url, kv_transfer_params=params)).json()
    direct = (await complete(http, prefill.url)).json()
    assert moved["choices"][0]["text"] == direct["choices"][0]["text"]
    assert await metric(http, decode.url, "vllm:nixl_bytes_transferred_sum") == 510 * 46_080
    late = (await complete(http, decode.url, kv_transfer_params=params)).json()
    assert late["choices"][0]["text"] != direct["choices"][0]["text"]


async def test_the_decode_side_repeats_the_prefills_cached_tokens(fleet: Fleet, http: httpx.AsyncClient) -> None:
    prefill, decode = await fleet.start("prefill-0", PREFILL), await fleet.start("decode-0", SPEC)
    await complete(http, prefill.url)
    params = (await complete(http, prefill.url, max_tokens=1, kv_transfer_params=PRODUCE)).json()["kv_transfer_params"]
    assert params["remote_prefill_cached_tokens"] == 448
    answer = (await complete(http, decode.url, kv_transfer_params=params)).json()
    assert answer["usage"]["prompt_tokens_details"] == {"cached_tokens": 448}


async def test_without_that_figure_what_the_peer_sent_counts_as_cached(fleet: Fleet, http: httpx.AsyncClient) -> None:
    prefill, decode = await fleet.start("prefill-0", PREFILL), await fleet.start("decode-0", SPEC)
    params = (await complete(http, prefill.url, max_tokens=1, kv_transfer_params=PRODUCE)).json()["kv_transfer_params"]
    del params["remote_prefill_cached_tokens"]
    answer = (await complete(http, decode.url, kv_transfer_params=params)).json()
    assert answer["usage"]["prompt_tokens_details"] == {"cached_tokens": 510}


async def test_hostile_parameters_kill_one_engine_and_no_other(fleet: Fleet, http: httpx.AsyncClient) -> None:
    hit, spared = await fleet.start("decode-0", SPEC), await fleet.start("decode-1", SPEC)
    with pytest.raises(httpx.TransportError):
        await complete(http, hit.url, vllm_xargs={"kv_transfer_params": {"do_remote_prefill": True}})
    with pytest.raises(httpx.TransportError):
        await http.get(f"{hit.url}/health")
    assert [(engine.replica, engine.state) for engine in fleet.list()] == [("decode-0", "crashed"), ("decode-1", "ready")]
    assert (await complete(http, spared.url)).status_code == 200


async def test_a_crashed_engine_starts_again(fleet: Fleet, http: httpx.AsyncClient) -> None:
    hit = await fleet.start("decode-0", SPEC)
    with pytest.raises(httpx.TransportError):
        await complete(http, hit.url, kv_transfer_params={"do_remote_prefill": True})
    again = await fleet.start("decode-0", SPEC)
    assert again.state == "ready"
    assert await metric(http, again.url, "vllm:prompt_tokens_total") == 0


async def test_a_client_that_leaves_frees_its_request(fleet: Fleet, http: httpx.AsyncClient) -> None:
    slow = await fleet.start("decode-0", SPEC)
    body = {"prompt": PROMPT, "max_tokens": 3000, "stream": True, "ignore_eos": True}
    async with http.stream("POST", f"{slow.url}/v1/completions", json=body) as answer:
        await anext(answer.aiter_lines())
    async with asyncio.timeout(60):
        while await metric(http, slow.url, "vllm:num_requests_running") > 0:
            pass
    assert await metric(http, slow.url, "vllm:generation_tokens_total") < 3000


async def test_the_same_spec_leaves_an_engine_alone_and_another_restarts_it(fleet: Fleet) -> None:
    first = await fleet.start("decode-0", SPEC)
    assert await fleet.start("decode-0", SPEC) == first
    changed = await fleet.start("decode-0", PREFILL)
    assert (changed.pool, len(fleet.list())) == ("prefill", 1)


async def test_a_taken_port_and_an_unknown_profile_are_said(fleet: Fleet) -> None:
    taken = int((await fleet.start("decode-0", SPEC)).url.rsplit(":", 1)[1])
    with pytest.raises(FleetError, match="decode-1"):
        await fleet.start("decode-1", EngineSpec(pool=Pool.DECODE, port=taken, model="m", model_root="/nowhere"))
    with pytest.raises(FleetError, match="known: h100"):
        await fleet.start("x", EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere", profile="none"))
    assert [engine.replica for engine in fleet.list()] == ["decode-0"]


async def test_a_hundred_engines_run_in_one_process(fleet: Fleet, http: httpx.AsyncClient, sockets: Path) -> None:
    engines = [
        await fleet.start(
            f"decode-{number}",
            EngineSpec(pool=Pool.DECODE, port=0, model="m", model_root="/nowhere", kv_events=f"ipc://{sockets}/{number}"),
        )
        for number in range(100)
    ]
    answers = await asyncio.gather(*(complete(http, engine.url) for engine in engines))
    assert {answer.status_code for answer in answers} == {200}
    assert len({engine.url for engine in engines}) == 100
