"""An engine gets the client's own bytes only where no reader finds anything in them that was kept from engines."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.engines.direct import direct_body
from stack.router.forwarding import direct_bytes
from stack.router.openai import CHAT, BodyError, parse
from stack.router.sanitise import CONTAINERS, KEYS

OPENING = b'{"model":"m","messages":[{"role":"user","content":"hi"}]'


def forwarded(more: bytes) -> bytes:
    return direct_bytes(parse(CHAT, OPENING + more + b"}"))


@pytest.mark.parametrize(
    "more", [b"", b' , "seed" : 7 ', b',"stream":false', b',"stream":true,"stream_options":{"include_usage":true}']
)
def test_what_needs_no_change_goes_on_as_it_came(more: bytes) -> None:
    assert forwarded(more) == OPENING + more + b"}"


@pytest.mark.parametrize(
    "more",
    [b',"stream":true', b',"stream":true } ', b',"stream":true,"stream_options":null', b',"stream":true,"\\u0073tream_options":{}'],
)
def test_a_stream_always_ends_with_its_usage(more: bytes) -> None:
    body = direct_bytes(parse(CHAT, OPENING + more if more.endswith(b" ") else OPENING + more + b"}"))
    assert msgspec.json.decode(body)["stream_options"] == {"include_usage": True}
    assert body.count(b"stream_options") == 1


@pytest.mark.parametrize(
    "more",
    [
        b',"kv_transfer_params":{"x":1}',
        b',"kv\\u005ftransfer_params":{"x":1},"seed":1',
        b',"vllm_xargs":{"\\u006bv_transfer_params":1},"vllm_xargs":{}',
    ],
)
def test_what_could_be_read_in_another_way_is_encoded_anew(more: bytes) -> None:
    body = parse(CHAT, OPENING + more + b"}")
    assert direct_bytes(body) == msgspec.json.encode(direct_body(body.fields))
    assert b"transfer_params" not in direct_bytes(body)


def names(value: Any) -> set[str]:
    """Every key that some reader may find at the top or in a container, of duplicates too."""
    if not isinstance(value, Pairs):
        return set()
    return {key for key, _ in value.pairs}.union(*(names(inner) for key, inner in value.pairs if key in CONTAINERS))


class Pairs:
    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


def spelled(name: str, escaped: list[bool]) -> str:
    return "".join(f"\\u{ord(letter):04x}" if escape else letter for letter, escape in zip(name, escaped, strict=False))


def document(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"


SPELLED = st.builds(spelled, st.sampled_from([*KEYS, "seed", "n", *CONTAINERS]), st.lists(st.booleans(), min_size=30, max_size=30))
VALUES = st.recursive(st.just("1"), lambda inner: st.lists(st.tuples(SPELLED, inner), max_size=3).map(document), max_leaves=6)


@given(pairs=st.lists(st.tuples(SPELLED, VALUES), max_size=4))
def test_no_reader_finds_a_forbidden_name_in_bytes_that_go_on_as_they_came(pairs: list[tuple[str, str]]) -> None:
    raw = OPENING + "".join(f',"{key}":{value}' for key, value in pairs).encode() + b"}"
    try:
        body = direct_bytes(parse(CHAT, raw))
    except BodyError:  # `vllm_xargs` that is no object
        return
    assert not names(json.loads(body, object_pairs_hook=Pairs)) & set(KEYS)


def test_a_forbidden_word_in_a_prompt_is_no_name() -> None:
    raw = OPENING.replace(b"hi", b'what are \\"kv_transfer_params\\u0022: {}?') + b"}"
    assert direct_bytes(parse(CHAT, raw)) == raw
