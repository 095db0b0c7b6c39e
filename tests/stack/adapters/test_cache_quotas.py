"""A cache server's quotas, with answers as LMCache 0.5.6 gives them."""

from __future__ import annotations

import json

import httpx
import pytest

from stack.adapters.cache_quotas import LMCacheQuotas
from stack.control.ports import TierError

GIB = 1 << 30


class Server:
    """Remembers what it was asked; answers as LMCache does, or with `status`."""

    def __init__(self, status: int = 200, listed: bytes | None = None) -> None:
        self.status, self.listed = status, listed
        self.asked: list[tuple[str, str, object]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        self.asked.append((request.method, path, json.loads(request.content) if request.content else None))
        users = {"_default": {"limit_gb": 2.0, "current_usage_gb": 0.1}, "acme": {"limit_gb": 0.5, "current_usage_gb": 0.0}}
        listed = json.dumps({"users": users}).encode() if self.listed is None else self.listed
        return httpx.Response(self.status, content=listed if request.method == "GET" else b'{"status":"ok"}')


def _quotas(server: Server) -> LMCacheQuotas:
    return LMCacheQuotas(httpx.AsyncClient(transport=httpx.MockTransport(server)))


async def test_quotas_are_read_in_bytes() -> None:
    assert await _quotas(Server()).quotas("http://cache:8080") == {"_default": 2 * GIB, "acme": GIB // 2}


async def test_quotas_are_set_and_taken() -> None:
    server = Server()
    await _quotas(server).limit("http://cache:8080", "a b", 3 * GIB // 2)
    await _quotas(server).limit("http://cache:8080", "acme", None)
    assert server.asked == [("PUT", "/quota/a%20b", {"limit_gb": 1.5}), ("DELETE", "/quota/acme", None)]


@pytest.mark.parametrize("server", [Server(503), Server(listed=b"{}"), Server(listed=b"<html>")])
async def test_a_server_that_does_not_tell_is_said(server: Server) -> None:
    with pytest.raises(TierError, match="quotas"):
        await _quotas(server).quotas("http://cache:8080")


async def test_a_server_that_does_not_take_one_is_said() -> None:
    with pytest.raises(TierError, match="did not take a quota: HTTPStatusError"):
        await _quotas(Server(503)).limit("http://cache:8080", "acme", 1)
