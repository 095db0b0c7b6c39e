"""Connects only to addresses that may be read: a name is resolved once, checked, and what was checked is connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

import httpx

from exporters.allowed import Allowed

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of `host`, as the system finds them. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class CheckedTransport(httpx.AsyncBaseTransport):
    """Sends requests over `inner` to the address that passed, so that a name cannot mean another one a moment later."""

    def __init__(self, allowed: Allowed, inner: httpx.AsyncBaseTransport, resolve: Resolve = resolve) -> None:
        self._allowed = allowed
        self._inner = inner
        self._resolve = resolve

    async def address(self, url: httpx.URL) -> str:
        """Where a request for `url` would go. Raises RefusedError, OSError."""
        port = url.port or (443 if url.scheme == "https" else 80)
        return self._allowed.choose(url.host, await self._resolve(url.host, port))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        address = await self.address(request.url)
        # The header Host stays, and TLS goes on asking for the name.
        extensions = {**request.extensions, "sni_hostname": request.url.host}
        checked = httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions=extensions,
        )
        return await self._inner.handle_async_request(checked)

    async def aclose(self) -> None:
        await self._inner.aclose()
