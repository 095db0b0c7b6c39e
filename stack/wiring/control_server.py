"""uvicorn as control needs it: signals are somebody else's, and who takes nothing does not hold up the end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from stack.api.settings import Tls

GRACE_SECONDS = 3  # for answers under way when the process is told to end
STUCK_SECONDS = 0.3  # a reader of whose answer nothing more went out in this time is not reading


class ControlServer(uvicorn.Server):
    """Serves `app` until `should_exit`."""

    def __init__(self, app: ASGIApp, tls: Tls | None = None) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=tls.certificate if tls else None,
            ssl_keyfile=tls.key if tls else None,
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Not at all: uvicorn would end the process by the signal again once everything was in order."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let answers under way finish, but those that nobody takes."""
        cutting = asyncio.create_task(self._cut_the_stuck(), name="stuck readers")
        try:
            await super().shutdown(sockets)
        finally:
            cutting.cancel()
            await asyncio.gather(cutting, return_exceptions=True)

    async def _cut_the_stuck(self) -> None:
        while True:
            transports = [connection.transport for connection in self.server_state.connections]
            untaken = {transport: transport.get_write_buffer_size() for transport in transports}
            await asyncio.sleep(STUCK_SECONDS)
            for transport, size in untaken.items():
                if size and transport.get_write_buffer_size() == size:
                    transport.abort()
