"""A leg that failed before the client got a byte: what to tell it, unless another engine can do it."""

from __future__ import annotations

import msgspec

from stack.router.errand import Fallback
from stack.router.errors import JSON_HEADERS, error_body
from stack.router.header_fields import HeaderLines

# What a dying or overwhelmed engine says; another one may do better.
RETRIED = frozenset({500, 502, 503})


class EngineAnswer(msgspec.Struct, frozen=True, gc=False):
    """A whole answer of an engine."""

    status: int
    headers: HeaderLines
    body: bytes

    @classmethod
    def of(cls, status: int, headers: HeaderLines, body: bytes) -> EngineAnswer:
        """What the client may see of it: an error that is not in OpenAI's shape is put into it."""
        if status < 400 or b'"error"' in body:
            return cls(status, headers, body)
        return cls(status, JSON_HEADERS, error_body(status, f"the engine answered {status}", code="engine_error"))


class _ReportedError(msgspec.Struct):
    code: int | str | None = None


class _Report(msgspec.Struct):
    error: _ReportedError


class LegFailedError(Exception):
    """`code` is of a closed set and goes into records; `retry` is why another engine may be asked, None when none may.

    `answer` is what the client gets when nobody else is: the engine's own words, or the router's.
    """

    def __init__(self, code: str, answer: EngineAnswer, retry: Fallback | None) -> None:
        super().__init__(code)
        self.code = code
        self.answer = answer
        self.retry = retry


def unreachable() -> LegFailedError:
    """There was no connection: the engine never had the request."""
    return _failed(502, "engine_unreachable", "the engine could not be reached", Fallback.DECODE_UNREACHABLE)


def died() -> LegFailedError:
    """The engine closed the connection, or went away, before it answered."""
    return _failed(502, "engine_lost", "the engine went away before it answered", Fallback.DECODE_DIED)


def broken() -> LegFailedError:
    """What came was no answer."""
    return _failed(502, "engine_broken", "the engine's answer could not be read", Fallback.DECODE_BROKEN)


def too_slow(seconds: float) -> LegFailedError:
    """The engine is there and did not answer in time: asking another one would only double the load."""
    return _failed(504, "engine_timeout", f"the engine did not answer within {seconds:g} s", None)


def refused(answer: EngineAnswer) -> LegFailedError:
    """The engine answered with an error of its own (5xx): it may be dying, another one may not."""
    return LegFailedError("engine_error", answer, Fallback.DECODE_ERROR)


def reported(event: bytes) -> LegFailedError | None:
    """The failure that an engine reports as the first event of a stream; None when it is the request's own fault."""
    _, _, data = event.partition(b"data:")
    try:
        code = msgspec.json.decode(data.split(b"\n\n", 1)[0], type=_Report).error.code
    except msgspec.DecodeError:
        return None
    status = code if isinstance(code, int) else 500
    if status < 500:
        return None
    return _failed(502, "engine_error", "the engine failed before its first token", Fallback.DECODE_ERROR)


def _failed(status: int, code: str, message: str, retry: Fallback | None) -> LegFailedError:
    answer = EngineAnswer(status, JSON_HEADERS, error_body(status, message, code=code))
    return LegFailedError(code, answer, retry)
