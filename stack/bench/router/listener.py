"""Listens to many streams at once and notes when each token came."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast
from urllib.parse import urlsplit

import msgspec

from stack.config import address

_TOKEN = b'"content"'  # once in every token's event, and nowhere else in the canned stream
_END = b"data: [DONE]"
_CONNECT_SECONDS = 5.0


class Gaps(msgspec.Struct, frozen=True):
    """Gaps between tokens over all streams, and the streams that broke off or came short."""

    tokens: int
    p50_ms: float | None
    p99_ms: float | None
    broken: int


@dataclass(slots=True)
class _Stream(asyncio.Protocol):
    """One request and its answer: when each token came, by `clock` (the loop's own counts in milliseconds)."""

    request: bytes
    ended: asyncio.Future[bool]
    clock: Callable[[], float]
    times: list[float] = field(default_factory=list)
    rest: bytes = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self.request)  # uvloop's is one in all but its bases

    def data_received(self, data: bytes) -> None:
        now = self.clock()
        seen = self.rest + data
        self.times += [now] * (seen.count(_TOKEN) - self.rest.count(_TOKEN))
        self.rest = seen[-64:]
        if _END in seen and not self.ended.done():
            self.ended.set_result(True)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(False)


async def listen(
    url: str, bodies: Sequence[bytes], tokens: int, ramp_seconds: float, limit_seconds: float, clock: Callable[[], float]
) -> Gaps:
    """Ask `bodies` at once, begun evenly over `ramp_seconds`; each answer should have `tokens` tokens."""
    streams = await asyncio.gather(
        *(_one(url, body, ramp_seconds * number / len(bodies), limit_seconds, clock) for number, body in enumerate(bodies))
    )
    whole = [times for times in streams if len(times) == tokens]
    gaps = sorted(after - before for times in whole for before, after in pairwise(times))
    return Gaps(len(gaps) + len(whole), _at(gaps, 0.5), _at(gaps, 0.99), len(streams) - len(whole))


async def _one(url: str, body: bytes, delay: float, limit_seconds: float, clock: Callable[[], float]) -> list[float]:
    """When each token of one answer came; none of an answer that did not end well."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(delay)
    stream = _Stream(_request(url, body), loop.create_future(), clock)
    host, port = address(urlsplit(url).netloc)
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            transport, _ = await loop.create_connection(lambda: stream, host, port)
    except OSError:  # a timeout is one, too
        return []
    try:
        async with asyncio.timeout(limit_seconds):
            return stream.times if await stream.ended else []
    except TimeoutError:
        return []
    finally:
        transport.close()


def _request(url: str, body: bytes) -> bytes:
    where = urlsplit(url)
    about = f"Host: {where.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"POST {where.path} HTTP/1.1\r\n{about}\r\n\r\n".encode() + body


def _at(ordered: Sequence[float], share: float) -> float | None:
    return ordered[int(share * (len(ordered) - 1))] * 1e3 if ordered else None
