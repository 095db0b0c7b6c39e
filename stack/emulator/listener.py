"""One ASGI app on one port, without a server loop of its own: hundreds of idle ports cost nothing."""

from __future__ import annotations

import asyncio
import logging
import socket

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

# Longer than a busy loop may stall: a connection that times out with a request in its buffer is reset.
_KEEP_ALIVE_SECONDS = 75


class Listener:
    """uvicorn's HTTP protocol without uvicorn's Server, which wakes ten times a second for each port."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._broken = False
        self._config = uvicorn.Config(
            self._serve,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        )
        self._config.load()
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    async def start(self, bound: socket.socket) -> None:
        """Accept connections on a bound socket, which is the listener's from now on."""
        self._server = await asyncio.get_running_loop().create_server(self._protocol, sock=bound, backlog=1024)

    def abort(self) -> None:
        """As when a process dies: connections break, whatever was being answered."""
        self._broken = True
        if self._server is not None:
            self._server.close()
        for task in list(self._state.tasks):
            task.cancel()
        for connection in list(self._state.connections):
            if connection.transport is not None:
                connection.transport.abort()

    async def close(self, grace_seconds: float) -> None:
        """Stop accepting, let running answers end for `grace_seconds`, then break them off."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=grace_seconds)
        self.abort()

    def _protocol(self) -> HttpToolsProtocol:
        return HttpToolsProtocol(config=self._config, server_state=self._state, app_state={})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            log.info("client left", extra={"path": scope.get("path")})
        except asyncio.CancelledError:
            if not self._broken:  # else nobody is to be answered, and uvicorn would log it as a fault
                raise
