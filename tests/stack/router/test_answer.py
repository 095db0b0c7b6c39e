from __future__ import annotations

import msgspec
import pytest

from stack.engines.answer_facts import NO_FACTS, AnswerFacts
from stack.router.answer import error_event, filter_body

USAGE = b'"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8}}'
CHOICES = b'"choices":[{"index":0,"message":{"role":"assistant","content":"\\u00e9"}}]'


def test_an_answer_that_needs_no_change_keeps_its_bytes() -> None:
    raw = b'{"id": "x", %b , %b,"metrics":null,"kv_transfer_params":null}' % (CHOICES, USAGE)
    assert filter_body(raw) == (raw, AnswerFacts(9, 1, 8))


def test_timings_and_addresses_stay_here() -> None:
    private = b'"metrics":{"queue_time_ms":2.0},"kv_transfer_params":{"remote_host":"10.0.0.1"},"ec_transfer_params":{}'
    raw = b'{"id":"x",%b,%b,%b}' % (CHOICES, USAGE, private)
    assert filter_body(raw) == (b'{"id":"x",%b,%b}' % (CHOICES, USAGE), AnswerFacts(9, 1, 8, queue_s=0.002))


def test_after_two_legs_the_client_sees_what_the_prefill_engine_had_cached() -> None:
    raw = b'{"id":"x",%b,%b}' % (CHOICES, USAGE)
    assert filter_body(raw, remote_cached_tokens=5) == (raw.replace(b":8}", b":5}"), AnswerFacts(9, 1, 8))
    assert filter_body(raw, remote_cached_tokens=8) == (raw, AnswerFacts(9, 1, 8))


@pytest.mark.parametrize("usage", [b'{"prompt_tokens":9}', b'{"prompt_tokens":9,"prompt_tokens_details":null}', b"null", b"7"])
def test_details_the_engine_does_not_show_are_not_made_up(usage: bytes) -> None:
    raw = b'{"usage":%b}' % usage
    assert filter_body(raw, remote_cached_tokens=5)[0] == raw


@pytest.mark.parametrize("raw", [b"", b"<html>", b"[1]", b"[" * 100_000, b'{"a":"\xff"}'])
def test_what_cannot_be_read_is_passed_on(raw: bytes) -> None:
    assert filter_body(raw, remote_cached_tokens=5) == (raw, NO_FACTS)


def test_a_stream_that_cannot_go_on_ends_with_an_error_and_the_usual_last_event() -> None:
    event, done, rest = error_event("the engine went silent", "engine_silent").split(b"\n\n")
    assert msgspec.json.decode(event.removeprefix(b"data: ")) == {
        "error": {"message": "the engine went silent", "type": "server_error", "param": None, "code": "engine_silent"}
    }
    assert (done, rest) == (b"data: [DONE]", b"")
