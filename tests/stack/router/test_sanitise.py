from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stack.router.openai import CHAT, COMPLETIONS, PASS_THROUGH, encode, parse
from stack.router.sanitise import KEYS, strip_transfer_params, too_deep

BASE = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "prompt": "hi", "input": "hi"}
EVIL = {"do_remote_prefill": True}

# (what the client sends beside BASE, what is reported, what is left of it)
PLACES: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "top level": ({"kv_transfer_params": EVIL}, ("kv_transfer_params",), {}),
    "top level, encoder cache": ({"ec_transfer_params": EVIL}, ("ec_transfer_params",), {}),
    "top level, null": ({"kv_transfer_params": None}, ("kv_transfer_params",), {}),
    "xargs": (
        {"vllm_xargs": {"kv_transfer_params": "x", "ec_transfer_params": ["x"], "kept": 1}},
        ("vllm_xargs.kv_transfer_params", "vllm_xargs.ec_transfer_params"),
        {"vllm_xargs": {"kept": 1}},
    ),
    "extra_args": ({"extra_args": {"kv_transfer_params": EVIL}}, ("extra_args.kv_transfer_params",), {"extra_args": {}}),
    "extra_body": (
        {"extra_body": {"kv_transfer_params": EVIL, "vllm_xargs": {"kv_transfer_params": 1}}},
        ("extra_body.kv_transfer_params", "extra_body.vllm_xargs.kv_transfer_params"),
        {"extra_body": {"vllm_xargs": {}}},
    ),
    "sampling_params": (
        {"sampling_params": {"extra_args": {"kv_transfer_params": EVIL}}},
        ("sampling_params.extra_args.kv_transfer_params",),
        {"sampling_params": {"extra_args": {}}},
    ),
    "all at once": (
        {"kv_transfer_params": EVIL, "ec_transfer_params": EVIL, "vllm_xargs": {"kv_transfer_params": "x"}},
        ("kv_transfer_params", "ec_transfer_params", "vllm_xargs.kv_transfer_params"),
        {"vllm_xargs": {}},
    ),
}


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS, *sorted(PASS_THROUGH)])
@pytest.mark.parametrize("place", PLACES)
def test_it_is_found_in_every_place_on_every_endpoint(place: str, path: str) -> None:
    sent, stripped, left = PLACES[place]
    body = parse(path, msgspec.json.encode(BASE | sent))
    assert body.stripped == stripped
    assert msgspec.json.decode(encode(body.fields)) == BASE | left


@pytest.mark.parametrize("spelling", [b"kv_transfer_params", b"kv\\u005ftransfer_params", b"\\u006bv_transfer_param\\u0073"])
@pytest.mark.parametrize("place", [b"%b", b'"vllm_xargs":{%b}'])
def test_no_spelling_and_no_duplicate_gets_it_through(spelling: bytes, place: bytes) -> None:
    hidden = place % (b'"%b":{"do_remote_prefill":true}' % spelling)
    twice = place % (b'"kv_transfer_params":1,"%b":{"do_remote_prefill":true}' % spelling)
    harmless = b'"vllm_xargs":{"a":1},"vllm_xargs":null,'
    for inside in (hidden, twice, hidden + b"," + twice, harmless + hidden, hidden + b',"vllm_xargs":{"a":1}'):
        body = parse(COMPLETIONS, b'{"model":"m","prompt":"hi",' + inside + b"}")
        assert not any(key.encode() in encode(body.fields) for key in KEYS)


def test_what_a_prompt_talks_about_is_left_alone() -> None:
    fields: dict[str, Any] = {"messages": [{"content": "kv_transfer_params", "kv_transfer_params": 1}], "vllm_xargs": None}
    assert strip_transfer_params(fields) == ()
    assert fields == {"messages": [{"content": "kv_transfer_params", "kv_transfer_params": 1}], "vllm_xargs": None}


@pytest.mark.parametrize(("value", "depth"), [({}, 1), ([], 1), ({"a": 1}, 1), ({"a": [1, {"b": []}]}, 4), ([[], [[]]], 3)])
def test_depth_counts_containers(value: Any, depth: int) -> None:
    assert not too_deep(value, depth)
    assert too_deep(value, depth - 1)
