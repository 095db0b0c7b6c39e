"""Decisions as they come, as server-sent events (WHATWG HTML, 9.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send

from stack.api.permit import Standing
from stack.api.ring import DecisionRing, Entry, Filter

LOOK_SECONDS = 1.0  # how often it is looked whether the reader's token still counts
HEARTBEAT_SECONDS = 15.0  # shorter than the idle limits of common proxies (60 s)
SEND_SECONDS = 10.0  # a reader that takes nothing for so long is not reading
READERS_MOST = 32
BATCH = 100

_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
_BEAT = b": still here\n\n"
_END = b": control ends\n\n"
_REVOKED = b": the token counts no more\n\n"
_SLOW = b"event: too_slow\ndata: {}\n\n"


class Feed:
    """Everyone who follows the ring. `epoch` tells this life of control from others; `slow` is called for each reader dropped."""

    def __init__(self, ring: DecisionRing, epoch: int, slow: Callable[[], None]) -> None:
        self.ring = ring
        self._epoch = f"{epoch:x}"
        self.slow = slow
        self.readers = 0
        self.closed = False

    def name(self, entry: Entry) -> str:
        """An entry's event id."""
        return f"{self._epoch}-{entry.sequence}"

    def cursor(self, last_event_id: str | None, since: float | None) -> int:
        """The sequence to go on after: from where the reader was, from all there is when it asks for the past, else from now."""
        epoch, _, sequence = (last_event_id or "").rpartition("-")
        if last_event_id is not None:
            known = epoch == self._epoch and sequence.isascii() and sequence.isdigit()
            return min(int(sequence), self.ring.last) if known else 0  # of another life of control: all of this one is new
        return self.ring.last if since is None else 0

    def close(self) -> None:
        """Send everyone home: the process ends."""
        self.closed = True
        self.ring.wake()


class DecisionStream:
    """One reader's answer, an ASGI application. A reader too slow to follow is sent away, and may come back where it was.

    It ends when its reader's token is `standing` no more.
    """

    def __init__(
        self,
        feed: Feed,
        wanted: Filter,
        last_event_id: str | None,
        standing: Standing,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._feed = feed
        self._standing, self._look = standing, look_seconds
        self._wanted = wanted
        self._cursor = feed.cursor(last_event_id, wanted.since)
        self._resumed = last_event_id is not None or wanted.since is not None
        self._heartbeat = heartbeat_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._feed.readers += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            pumping = asyncio.create_task(self._pump(send), name="decision stream")
            leaving = asyncio.create_task(_left(receive), name="decision stream's reader")
            falling = asyncio.create_task(self._fallen(), name="decision stream's token")
            tasks = (pumping, leaving, falling)
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if done == {falling}:
                with suppress(TimeoutError):  # it takes nothing anyway
                    await _send(send, _REVOKED, more=False)
        finally:
            self._feed.readers -= 1

    async def _fallen(self) -> None:
        while True:
            await asyncio.sleep(self._look)
            if not self._standing():
                return

    async def _pump(self, send: Send) -> None:
        try:
            await self._follow(send)
            await _send(send, _END, more=False)
        except TimeoutError:
            self._feed.slow()

    async def _follow(self, send: Send) -> None:
        feed, ring = self._feed, self._feed.ring
        if self._resumed and self._missed:
            await _send(send, b'event: missed\ndata: {"decisions":%d}\n\n' % self._missed)
            self._cursor += self._missed
        while not feed.closed:
            if self._missed:  # it reads, but the ring turns faster
                feed.slow()
                await _send(send, _SLOW)
                return
            entries = ring.after(self._cursor, BATCH)
            if entries:
                self._cursor = entries[-1].sequence
                await _send(send, self._events(entries))
            elif not await ring.grown(self._cursor, self._heartbeat):
                await _send(send, _BEAT)

    @property
    def _missed(self) -> int:
        """Decisions that left the ring before this reader came to them."""
        return max(self._feed.ring.first - 1 - self._cursor, 0)

    def _events(self, entries: Sequence[Entry]) -> bytes:
        wanted = [entry for entry in entries if self._wanted.matches(entry)]
        return b"".join(b"id: %s\ndata: %s\n\n" % (self._feed.name(entry).encode(), entry.json) for entry in wanted)


async def _left(receive: Receive) -> None:
    while True:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            return


async def _send(send: Send, text: bytes, *, more: bool = True) -> None:
    """Raises TimeoutError when the reader takes nothing."""
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": text, "more_body": more})
