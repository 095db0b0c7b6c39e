"""A whole connection against h11 as its client: as many answers as h11 reads requests, in order, however the bytes come."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from stack.router.connection import Connection
from stack.router.header_fields import NO_LINES
from stack.router.message import Request, Responder
from stack.router.site import Site
from tests.stack.router.hostile_http import connections
from tests.stack.router.test_reader import LIMITS, ours

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


class Wire:
    """A transport that keeps what is written until it is closed."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = self.ended = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        assert not self.ended
        self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def _said(pieces: list[bytes]) -> tuple[list[int], list[str], bool]:
    """Statuses written, requests that reached the handler, and whether the connection is over, after `pieces` came."""
    handled: list[str] = []

    async def handler(request: Request, responder: Responder) -> None:
        handled.append(f"{request.method} {request.path} {len(request.body)}")
        await asyncio.sleep(0)
        await responder.send(200, NO_LINES, b"")

    wire = Wire()
    connection = Connection(Site(handler, LIMITS, asyncio.get_running_loop().time))
    connection.connection_made(cast(asyncio.Transport, wire))
    for piece in pieces:
        if not wire.closed:
            connection.data_received(piece)
    seen = -1
    while seen != len(wire.written) or (connection.busy and len(handled) > _answers(wire.written)):
        seen = len(wire.written)
        for _ in range(5):
            await asyncio.sleep(0)
    over = wire.closed or wire.ended
    connection.connection_lost(None)
    return [int(status) for status in _STATUS.findall(wire.written)], handled, over


def _answers(written: bytes) -> int:
    return sum(status != b"100" for status in _STATUS.findall(written))


@given(data=connections(), cuts=st.lists(st.integers(0, 300), max_size=3))
async def test_every_request_has_one_answer_and_a_refusal_is_the_last(data: bytes, cuts: list[int]) -> None:
    requests, refused = ours(data)
    places = sorted({0, *cuts, len(data)})
    statuses, handled, over = await _said([data[begin:end] for begin, end in pairwise(places)])
    expected = [f"{method} {target.partition('?')[0]} {len(body)}" for method, target, _, body in requests]
    assert handled == expected
    assert [status for status in statuses if status != 100] == [200] * len(requests) + ([refused] if refused else [])
    assert over or refused is None
