from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.engines.answer_facts import NO_FACTS, AnswerFacts
from stack.router.event_stream import EventStream
from stack.router.openai import UsageWish

# As vLLM 0.32 streams a chat with include_usage and --enable-per-request-metrics.
ROLE = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n'
)
HELLO = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hello \\"usage\\": [DONE"},"finish_reason":null}]}\n\n'
WORLD = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":" world"},"finish_reason":null}]}\n\n'
LAST = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}\n\n'
USAGE = (
    b'data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,'
    b'"prompt_tokens_details":{"cached_tokens":8}},"system_fingerprint":"f"}\n\n'
)
TIMED = USAGE.replace(b"}\n\n", b',"metrics":{"time_to_first_token_ms":20.0,"queue_time_ms":1.0}}\n\n')
DONE = b"data: [DONE]\n\n"
CHAT = ROLE + HELLO + WORLD + LAST
FACTS = AnswerFacts(9, 3, 8, 0.001, 0.02)


def through(data: bytes, wish: UsageWish, remote: int | None = None) -> tuple[bytes, EventStream]:
    stream = EventStream(wish, remote)
    return stream.feed(data) + stream.end(), stream


def test_a_client_that_asked_for_no_usage_gets_none() -> None:
    out, stream = through(CHAT + TIMED + DONE, UsageWish())
    assert out == CHAT + DONE
    assert (stream.tokens, stream.done, stream.failed, stream.facts) == (3, True, False, FACTS)


def test_a_client_that_asked_for_usage_gets_it_without_the_engines_timings() -> None:
    out, stream = through(CHAT + TIMED + DONE, UsageWish(include=True))
    assert out == CHAT + USAGE + DONE
    assert stream.facts == FACTS


def test_usage_that_needs_no_change_keeps_its_bytes() -> None:
    spaced = USAGE.replace(b":", b": ")
    assert through(CHAT + spaced + DONE, UsageWish(include=True))[0] == CHAT + spaced + DONE


def test_after_two_legs_the_client_sees_the_prefill_engines_cached_tokens() -> None:
    out, stream = through(CHAT + TIMED + DONE, UsageWish(include=True), remote=0)
    assert out == CHAT + USAGE.replace(b'"cached_tokens":8', b'"cached_tokens":0') + DONE
    assert stream.facts.cached_tokens == 8


def test_running_usage_is_kept_for_who_asked_and_dropped_for_who_did_not() -> None:
    running = WORLD.replace(b"}\n\n", b',"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n')
    assert through(running, UsageWish(include=True, continuous=True))[0] == running
    assert through(running, UsageWish())[0] == WORLD


@pytest.mark.parametrize(
    ("event", "tokens"),
    [
        (ROLE, 0),
        (HELLO, 1),
        (LAST, 1),
        (b'data: {"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}\n\n', 1),
        (b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0}]}}]}\n\n', 1),
        (b'data: {"choices":[{"index":0,"text":"x"}]}\n\n', 1),
        (b'data: {"choices":[{"index":0,"text":""}]}\n\n', 0),
        (b'data: {"choices":[]}\n\n', 0),
        (b'data: {"choices":7}\n\n', 0),
        (b": ping\n\n", 0),
        (b"data: nonsense\n\n", 0),
        (b"event: x\nid: 7\n\n", 0),
        (USAGE, 0),
    ],
)
def test_the_first_token_is_the_first_output(event: bytes, tokens: int) -> None:
    out, stream = through(event, UsageWish(include=True))
    assert (out, stream.tokens, stream.first_token) == (event, tokens, tokens > 0)


def test_pings_are_no_tokens() -> None:
    out, stream = through(HELLO + b": ping\n\n" + WORLD + b": ping\n\n", UsageWish())
    assert (out, stream.tokens) == (HELLO + b": ping\n\n" + WORLD + b": ping\n\n", 2)


def test_an_error_inside_the_stream_is_seen_and_passed_on() -> None:
    error = b'data: {"error":{"message":"no","type":"InternalServerError","param":null,"code":500}}\n\n'
    out, stream = through(CHAT + error + DONE, UsageWish())
    assert (out, stream.failed, stream.facts) == (CHAT + error + DONE, True, NO_FACTS)
    assert not through(WORLD.replace(b"}\n\n", b',"error":null}\n\n'), UsageWish())[1].failed


def test_other_fields_of_a_rewritten_event_stay() -> None:
    out, _ = through(b"event: chunk\r\n" + TIMED.replace(b"\n\n", b"\r\n\r\n"), UsageWish(include=True))
    assert out == b"event: chunk\n" + USAGE


def test_an_unfinished_event_waits_and_is_passed_on_at_the_end() -> None:
    stream = EventStream(UsageWish())
    assert stream.feed(HELLO + b"data: {") == HELLO
    assert stream.feed(b'"a":') == b""
    assert stream.end() == b'data: {"a":'


def test_what_never_ends_is_no_event_and_is_not_held() -> None:
    stream = EventStream(UsageWish())
    assert stream.feed(HELLO) == HELLO
    assert stream.feed(bytes(9_000_000)) == bytes(9_000_000)


WHOLE = CHAT + TIMED + DONE


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@given(cuts=st.lists(st.integers(0, len(WHOLE) + 20), max_size=12), wish=st.builds(UsageWish, st.booleans()))
def test_where_the_bytes_are_cut_changes_nothing(ending: bytes, cuts: list[int], wish: UsageWish) -> None:
    data = WHOLE.replace(b"\n", ending)
    expected, once = through(data, wish)
    stream = EventStream(wish)
    places = [0, *sorted(cuts), len(data)]
    out = b"".join(stream.feed(data[a:b]) for a, b in itertools.pairwise(places)) + stream.end()
    assert out == expected
    assert (stream.tokens, stream.done, stream.facts) == (once.tokens, once.done, once.facts)


def test_byte_by_byte_changes_nothing() -> None:
    stream = EventStream(UsageWish())
    assert b"".join(stream.feed(WHOLE[i : i + 1]) for i in range(len(WHOLE))) == CHAT + DONE
    assert msgspec.json.decode(USAGE.removeprefix(b"data: "))["choices"] == []
