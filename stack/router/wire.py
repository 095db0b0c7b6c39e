"""The router's HTTP server: httptools and uvloop, no framework between the client and the handler."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from stack.router.connection import Connection
from stack.router.message import Handler, Limits
from stack.router.site import Site


class Server:
    """Serves one handler on one address. Start, drain, close; each once."""

    def __init__(
        self,
        handler: Handler,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        refused: Callable[[int], None] = lambda status: None,
    ) -> None:
        """`refused` is told the status of each answer that no handler gave."""
        self._site = Site(handler, limits or Limits(), clock, refused)
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int, *, shared: bool = False) -> None:
        """Listen on `host` and `port` (0: any free one), `shared` with other processes. Raises OSError when it cannot be had."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self._site), host, port, backlog=1024, reuse_port=shared or None)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port listened on. Raises RuntimeError before `start`."""
        if self._server is None or not self._server.sockets:
            raise RuntimeError("the server does not listen")
        host, port = self._server.sockets[0].getsockname()[:2]
        return str(host), int(port)

    @property
    def in_flight(self) -> int:
        """Requests being read or answered."""
        return sum(connection.busy for connection in self._site.connections)

    async def drain(self, timeout_s: float) -> bool:
        """Take no new request, let the present ones finish. False when `timeout_s` passed and some were cut off."""
        self._site.draining = True
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._site.connections):
            connection.drain()
        try:
            async with asyncio.timeout(timeout_s):
                await self._site.empty.wait()
                await asyncio.gather(*self._site.tasks, return_exceptions=True)
        except TimeoutError:
            await self.close()
            return False
        return True

    async def close(self) -> None:
        """Stop at once: connections are cut, handlers cancelled and awaited."""
        self._site.draining = True
        if self._server is not None:
            self._server.close()
        tasks = tuple(self._site.tasks)
        for connection in tuple(self._site.connections):
            connection.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._site.empty.wait()
