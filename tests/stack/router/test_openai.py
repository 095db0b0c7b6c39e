from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.router.openai import CHAT, COMPLETIONS, MAX_DEPTH, PASS_THROUGH, ROUTED, BodyError, ParsedBody, UsageWish, encode, parse

USER = {"role": "user", "content": "hi"}
CHAT_BODY: dict[str, Any] = {"model": "m", "messages": [USER]}


def chat(**more: Any) -> ParsedBody:
    return parse(CHAT, msgspec.json.encode(CHAT_BODY | more))


def refusal(path: str, raw: bytes) -> tuple[str | None, str | None]:
    with pytest.raises(BodyError) as caught:
        parse(path, raw)
    assert caught.value.message
    return caught.value.param, caught.value.code


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def test_a_chat_is_parsed() -> None:
    body = chat(stream=True, stream_options={"include_usage": True}, max_tokens=7, user="u", prompt_cache_key="k")
    assert body == ParsedBody(
        path=CHAT,
        model="m",
        fields=CHAT_BODY
        | {"stream": True, "stream_options": {"include_usage": True}, "max_tokens": 7, "user": "u", "prompt_cache_key": "k"},
        stripped=(),
        stream=True,
        usage=UsageWish(include=True),
        max_tokens=7,
        raw=body.raw,
    )
    assert body.routed
    assert (body.text("user"), body.text("prompt_cache_key"), body.text("session_id"), body.text("stream")) == (
        "u",
        "k",
        None,
        None,
    )


@pytest.mark.parametrize("path", sorted(PASS_THROUGH))
def test_other_endpoints_need_nothing_but_a_model(path: str) -> None:
    body = parse(path, b'{"model":"m","input":"x","stream":true,"max_output_tokens":9}')
    assert (body.model, body.routed, body.stream, body.usage, body.max_tokens) == ("m", False, True, UsageWish(), 9)
    assert refusal(path, b'{"input":"x"}') == ("model", "model_required")


def test_no_admin_path_is_ever_allowed() -> None:
    assert {
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/embeddings",
        "/v1/rerank",
        "/v1/score",
        "/v1/responses",
        "/v1/messages",
    } == ROUTED | PASS_THROUGH


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", (None, "json_invalid")),
        (b"hello", (None, "json_invalid")),
        (b"[1]", (None, "json_invalid")),
        (b'"x"', (None, "json_invalid")),
        (b"null", (None, "json_invalid")),
        (b'{"model":"m"} {}', (None, "json_invalid")),
        (b'\xef\xbb\xbf{"model":"m"}', (None, "json_invalid")),
        (b'{"model":"\xff"}', (None, "json_invalid")),
        (b'{"model":"m","a":"\xed\xa0\x80"}', (None, "json_invalid")),
        (b'{"model":"m","a":"\\ud800"}', (None, "json_invalid")),
        (b'{"model":"m","a":"\\udc00x"}', (None, "json_invalid")),
        (b'{"model":"m","a":NaN}', (None, "json_invalid")),
        (b'{"model":"m","a":-Infinity}', (None, "json_invalid")),
        (b'{"model":"m","a":1e999}', (None, "json_invalid")),
        (b'{"model":"m","a":' + b"9" * 5_000 + b"}", (None, "json_invalid")),
        (b'{"model":"m","a":' + nested(100_000) + b"}", (None, "json_too_deep")),
        (nested(100_000), (None, "json_too_deep")),
        (b"[" * 100_000, (None, "json_too_deep")),
        (b'{"a":' * 100_000, (None, "json_too_deep")),
        (b'{"model":"m","a":' + nested(900) + b"}", (None, "json_too_deep")),
        (b'{"model":"m","a":' + nested(MAX_DEPTH) + b"}", (None, "json_too_deep")),
        (b"{}", ("model", "model_required")),
        (b'{"model":null}', ("model", "model_required")),
        (b'{"model":""}', ("model", "invalid_type")),
        (b'{"model":7}', ("model", "invalid_type")),
        (b'{"model":["m"]}', ("model", "invalid_type")),
    ],
)
def test_a_body_that_is_no_body_is_refused(raw: bytes, expected: tuple[str | None, str | None]) -> None:
    assert refusal(CHAT, raw) == expected


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": ["hi"]}, "messages"),
        ({"stream": "true"}, "stream"),
        ({"stream": 1}, "stream"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"stream": True, "stream_options": True}, "stream_options"),
        ({"stream": True, "stream_options": {"include_usage": "yes"}}, "stream_options.include_usage"),
        (
            {"stream": True, "stream_options": {"include_usage": True, "continuous_usage_stats": 1}},
            "stream_options.continuous_usage_stats",
        ),
        ({"vllm_xargs": '{"kv_transfer_params":"x"}'}, "vllm_xargs"),
        ({"vllm_xargs": [["kv_transfer_params", "x"]]}, "vllm_xargs"),
    ],
)
def test_a_field_of_the_wrong_kind_is_named(fields: dict[str, Any], param: str) -> None:
    assert refusal(CHAT, msgspec.json.encode(CHAT_BODY | fields))[0] == param


@pytest.mark.parametrize("prompt", ["text", ["a", "b"], [1, 2], [[1], [2]]])
def test_every_kind_of_prompt_is_taken(prompt: object) -> None:
    assert parse(COMPLETIONS, msgspec.json.encode({"model": "m", "prompt": prompt})).fields["prompt"] == prompt


@pytest.mark.parametrize("raw", [b'{"model":"m"}', b'{"model":"m","prompt":null}', b'{"model":"m","prompt":{}}'])
def test_a_completion_needs_a_prompt(raw: bytes) -> None:
    assert refusal(COMPLETIONS, raw)[0] == "prompt"


def test_what_is_forwarded_is_never_the_bytes_that_came() -> None:
    raw = (
        b'{"model":"a", "messages":[{"role":"user","content":"hi"}], "model":"m",'
        b'"kv\\u005ftransfer_params":{"x":1},"seed":12345678901234567890}'
    )
    body = parse(CHAT, raw)
    assert encode(body.fields) == b'{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}'
    assert body.stripped == ("kv_transfer_params",)


def test_a_nesting_that_is_let_through_can_be_encoded_from_deep_down() -> None:
    body = parse(CHAT, msgspec.json.encode(CHAT_BODY)[:-1] + b',"tools":' + nested(MAX_DEPTH - 1) + b"}")

    def down(levels: int) -> bytes:
        return down(levels - 1) if levels else encode(body.fields)

    assert len(down(500)) > 2 * (MAX_DEPTH - 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(more=st.dictionaries(st.sampled_from(["tools", "user", "x", "n", "metadata", "kv_transfer_params"]), JSON))
def test_all_else_is_forwarded_as_it_came(more: dict[str, Any]) -> None:
    body = chat(**more)
    expected = {name: value for name, value in (CHAT_BODY | more).items() if name != "kv_transfer_params"}
    assert msgspec.json.decode(encode(body.fields)) == expected


@settings(deadline=None)
@given(raw=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_bytes_break_the_parser(raw: bytes) -> None:
    with contextlib.suppress(BodyError):
        parse(CHAT, raw)
