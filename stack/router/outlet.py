"""The writing half of a connection: back-pressure, and a limit on how long a client may read nothing."""

from __future__ import annotations

import asyncio

from stack.router.message import ClientGoneError


class Outlet:
    """Bytes to one client. `disconnected` is set when it left."""

    def __init__(self, write_timeout_s: float) -> None:
        self.disconnected = asyncio.Event()
        self.full = False
        """The client has to take something before more is written."""
        self._write_timeout_s = write_timeout_s
        self._transport: asyncio.Transport | None = None
        self._room = asyncio.Event()
        self.reading = True
        """Nothing the client says has to wait."""
        self._stalled: asyncio.TimerHandle | None = None

    def open(self, transport: asyncio.Transport) -> None:
        """Begin to write to `transport`."""
        self._transport = transport

    def put(self, data: bytes) -> None:
        """Write without waiting. Raises ClientGoneError."""
        if self._transport is None or self._transport.is_closing():
            raise ClientGoneError("the client left")
        self._transport.write(data)

    async def drained(self) -> None:
        """Wait until the client has taken enough. Raises ClientGoneError."""
        while self.full:
            await self._room.wait()
        if self.disconnected.is_set():
            raise ClientGoneError("the client left")

    def pause(self) -> None:
        """The transport's buffer is full."""
        self.full = True
        self._room.clear()
        self._stalled = asyncio.get_running_loop().call_later(self._write_timeout_s, self.abort)

    def resume(self) -> None:
        """The transport's buffer has room again."""
        self.full = False
        self._room.set()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def lost(self) -> None:
        """The connection is gone: whoever waits is woken."""
        self._transport = None
        self.disconnected.set()
        self.resume()

    def pause_reading(self) -> None:
        """Let the client's next requests wait in the kernel."""
        if self._transport is not None and self.reading:
            self.reading = False
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take requests again."""
        if self._transport is not None and not self.reading:
            self.reading = True
            self._transport.resume_reading()

    def end(self) -> None:
        """Say that nothing more will be written; the client may still send."""
        if self._transport is not None and self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    def close(self) -> None:
        """Close once everything is written."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once; what is unwritten is lost."""
        if self._transport is not None:
            self._transport.abort()
