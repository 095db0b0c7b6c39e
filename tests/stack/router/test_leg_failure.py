"""What is retried elsewhere, what is not, and what the client is told."""

import json

import pytest

from stack.router import leg_failure
from stack.router.header_fields import header_lines
from stack.router.leg_failure import EngineAnswer, LegFailedError


def _event(code: object) -> bytes:
    return b"data: " + json.dumps({"error": {"message": "m", "code": code}}).encode() + b"\n\ndata: [DONE]\n\n"


@pytest.mark.parametrize(
    ("code", "is_failure"), [(500, True), (503, True), ("broken", True), (None, True), (400, False), (404, False)]
)
def test_a_first_event_with_an_error_is_a_failure_unless_it_is_the_requests_fault(code: object, is_failure: bool) -> None:
    assert (leg_failure.reported(_event(code)) is not None) is is_failure


def test_what_is_no_error_event_is_no_failure() -> None:
    assert leg_failure.reported(b'data: {"error": "text"}\n\n') is None
    assert leg_failure.reported(b": comment\n\n") is None


@pytest.mark.parametrize(
    ("failure", "status", "code", "retry"),
    [
        (leg_failure.unreachable(), 502, "engine_unreachable", "decode_unreachable"),
        (leg_failure.died(), 502, "engine_lost", "decode_died"),
        (leg_failure.broken(), 502, "engine_broken", "decode_broken"),
        (leg_failure.too_slow(2.0), 504, "engine_timeout", None),
    ],
)
def test_the_router_speaks_for_a_silent_engine(failure: LegFailedError, status: int, code: str, retry: str | None) -> None:
    error = json.loads(failure.answer.body)["error"]
    assert (failure.answer.status, error["code"], failure.code, failure.retry) == (status, code, code, retry)
    assert error["type"] == "server_error"


def test_an_engines_words_are_kept_when_they_are_openais() -> None:
    said = header_lines([(b"x-a", b"1")])
    good = EngineAnswer.of(400, said, b'{"error":{"message":"m"}}')
    odd = EngineAnswer.of(500, said, b"Internal Server Error")
    assert (good.headers, good.body) == (said, b'{"error":{"message":"m"}}')
    assert json.loads(odd.body)["error"]["message"] == "the engine answered 500"
