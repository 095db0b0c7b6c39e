"""Streams and whole answers in turn; anything but a whole answer is a failure."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import count

import msgspec

from stack.bench.changes.asker import Asker, Passages, Said
from stack.bench.changes.exchange import Answer, Exchange

HEADERS = {"x-kvdeck-generation": "7", "x-kvdeck-strategy": "session"}
ANSWERS = (
    Answer(200, HEADERS, b'data: {"choices": []}\n\ndata: [DONE]\n\n'),
    Answer(200, HEADERS, b'{"choices": []}'),
    Answer(200, HEADERS, b'data: {"choices": []}\n\n'),
    Answer(503, {}, b"{}"),
    None,
)


class FakeExchange(Exchange):
    """A router that gives ANSWERS in turn; None is none."""

    def __init__(self) -> None:
        self.streamed: list[bool] = []

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        answer = ANSWERS[len(self.streamed)]
        self.streamed.append(msgspec.json.decode(body)["stream"])
        assert headers["x-session-id"].startswith("reader-")
        if answer is None:
            raise ConnectionResetError
        return answer


async def test_what_is_no_whole_answer_fails() -> None:
    exchange, passages, ticks = FakeExchange(), Passages(random.Random(1)), count()
    asker = Asker(exchange, "m", lambda: float(next(ticks)))
    for _ in ANSWERS:
        await asker.ask(passages.next()[0], 0.0)
    assert exchange.streamed == [True, False, True, False, True]
    assert asker.asked == 5
    assert asker.failed == {"not whole": 1, "status 503": 1, "ConnectionResetError": 1}
    assert asker.said == {Said("7", "session"): 2}
