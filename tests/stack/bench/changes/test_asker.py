"""Streams and whole answers in turn; anything but a whole answer is a failure."""

from __future__ import annotations

import random
from itertools import count

import httpx
import msgspec

from stack.bench.changes.asker import Asker, Passages, Said

HEADERS = {"x-kvdeck-generation": "7", "x-kvdeck-strategy": "session"}
ANSWERS = (
    httpx.Response(200, content=b'data: {"choices": []}\n\ndata: [DONE]\n\n', headers=HEADERS),
    httpx.Response(200, content=b'{"choices": []}', headers=HEADERS),
    httpx.Response(200, content=b'data: {"choices": []}\n\n'),
    httpx.Response(503, content=b"{}"),
    None,
)


async def test_what_is_no_whole_answer_fails() -> None:
    asked: list[bool] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(msgspec.json.decode(request.content)["stream"])
        assert request.headers["x-session-id"].startswith("reader-")
        response = ANSWERS[len(asked) - 1]
        if response is None:
            raise httpx.ReadError("gone")
        return response

    passages, ticks = Passages(random.Random(1)), count()
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        asker = Asker(http, "http://router/", "m", lambda: float(next(ticks)))
        for _ in ANSWERS:
            await asker.ask(passages.next()[0], 0.0)
    assert asked == [True, False, True, False, True]
    assert asker.asked == 5
    assert asker.failed == {"not whole": 1, "status 503": 1, "ReadError": 1}
    assert asker.said == {Said("7", "session"): 2}
