from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stack.engines.answer_facts import AnswerFacts
from stack.engines.pd.base import HandoverError
from stack.engines.pd.nixl import Nixl

NIXL = Nixl()
ASK = {
    "do_remote_decode": True,
    "do_remote_prefill": False,
    "remote_engine_id": None,
    "remote_block_ids": None,
    "remote_host": None,
    "remote_port": None,
}
# As vLLM 0.32 answers with NIXL.
PARAMS: dict[str, Any] = {
    "do_remote_prefill": True,
    "do_remote_decode": False,
    "remote_block_ids": [[1, 2, 3]],
    "remote_engine_id": "e",
    "remote_request_id": "r",
    "remote_host": "127.0.0.1",
    "remote_port": 5600,
    "tp_size": 1,
    "dcp_size": 1,
    "pp_size": 1,
    "remote_num_tokens": 722,
    "remote_blocks_expiry_time": None,
    "transfer_mode": "pull",
    "remote_prefill_cached_tokens": 640,
}
SHAPES_THE_PROMPT = {
    "model": "m",
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"type": "function"}],
    "tool_choice": "required",
    "response_format": {"type": "json_object"},
    "reasoning_effort": "low",
    "chat_template_kwargs": {"a": 1},
    "cache_salt": "s",
    "temperature": 0,
    "vllm_xargs": {"session_id": "x"},
}


def answer(params: object) -> bytes:
    usage = {"prompt_tokens": 722, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 640}}
    return msgspec.json.encode({"id": "x", "usage": usage, "metrics": {"queue_time_ms": 4.0}, "kv_transfer_params": params})


def test_the_prefill_leg_computes_the_same_prompt_and_one_token() -> None:
    one_token = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "stream_interval": 4,
        "max_tokens": 100,
        "max_completion_tokens": 100,
        "min_tokens": 50,
        "n": 1,
        "best_of": 1,
        "stop": ["x"],
        "stop_token_ids": [7],
        "ignore_eos": False,
        "logprobs": True,
        "top_logprobs": 5,
        "logprob_token_ids": [1],
        "structured_outputs": {"regex": "a+"},
        "thinking_token_budget": 9,
        "repetition_detection": {},
        "echo": True,
        "return_token_ids": True,
        "return_prompt_text": True,
    }
    assert NIXL.prefill_body(SHAPES_THE_PROMPT | one_token) == SHAPES_THE_PROMPT | {
        "max_tokens": 1,
        "max_completion_tokens": 1,
        "stream": False,
        "ignore_eos": True,
        "kv_transfer_params": ASK,
    }


def test_kv_is_collected_with_the_body_that_the_prefill_engine_took() -> None:
    handed = NIXL.handover(answer(PARAMS))
    asked = {"model": "m", "prompt": "hi", "max_tokens": 9_999, "stop": 5}
    assert NIXL.collect_body(asked, handed) == NIXL.prefill_body(asked) | {"kv_transfer_params": handed.params}


def test_a_limit_of_the_newer_kind_is_set_only_where_the_client_set_it() -> None:
    assert "max_completion_tokens" not in NIXL.prefill_body({"model": "m", "prompt": "hi"})


def test_a_good_answer_hands_over_all_but_the_misleading_count() -> None:
    handed = NIXL.handover(answer(PARAMS))
    assert handed.params == {name: value for name, value in PARAMS.items() if name != "remote_prefill_cached_tokens"}
    assert handed.remote_cached_tokens == 640
    assert handed.facts == AnswerFacts(prompt_tokens=722, completion_tokens=1, cached_tokens=640, queue_s=0.004)
    fields = {"model": "m", "prompt": "hi", "max_tokens": 9, "stream": True}
    assert NIXL.decode_body(fields, handed) == fields | {
        "stream_options": {"include_usage": True},
        "kv_transfer_params": handed.params,
    }


@pytest.mark.parametrize(
    ("cached_tokens", "lost"),
    [
        (722, False),  # the whole prompt, its own blocks and the peer's together
        (721, False),  # a recurrent model computes the last token itself
        (704, True),  # eleven blocks of its own, and nothing of the rest
        (0, True),
        (None, None),  # no --enable-prompt-tokens-details: nobody can tell
    ],
)
def test_a_transfer_is_lost_when_less_than_the_prompt_counts_as_cached(cached_tokens: int | None, lost: bool | None) -> None:
    for params in (PARAMS, PARAMS | {"remote_num_tokens": None}):
        facts = AnswerFacts(prompt_tokens=722, cached_tokens=cached_tokens)
        assert NIXL.transfer_lost(NIXL.handover(answer(params)), facts) is lost


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "prefill_answer_malformed"),
        (b"<html>", "prefill_answer_malformed"),
        (b"[]", "prefill_answer_malformed"),
        (b'{"kv_transfer_params":"x"}', "prefill_answer_malformed"),
        (b'{"kv_transfer_params":{"a":' + b"[" * 100_000, "prefill_answer_malformed"),
        (b"{}", "prefill_without_params"),
        (answer(None), "prefill_without_params"),
        (answer(PARAMS | {"do_remote_prefill": False}), "prefill_without_params"),
        (answer(PARAMS | {"transfer_mode": "push"}), "nixl_push_unsupported"),
        (answer({}), "lmcache_unsupported"),
        (answer({"first_tok": 7}), "lmcache_unsupported"),
        (answer(PARAMS | {"transfer_id": "t", "remote_bootstrap_addr": "http://127.0.0.1:8998"}), "mooncake_unsupported"),
        (answer(PARAMS | {"transfer_id": "t", "remote_notify_port": 61005}), "moriio_unsupported"),
        (answer(PARAMS | {"do_remote_prefill": "yes"}), "prefill_params_malformed"),
        (answer(PARAMS | {"remote_port": "5600"}), "prefill_params_malformed"),
        (answer(PARAMS | {"remote_block_ids": {"a": 1}}), "prefill_params_malformed"),
        (answer(PARAMS | {"remote_host": 7}), "prefill_params_malformed"),
    ],
)
def test_any_other_answer_says_why_not(raw: bytes, reason: str) -> None:
    with pytest.raises(HandoverError) as caught:
        NIXL.handover(raw)
    assert caught.value.reason == reason
