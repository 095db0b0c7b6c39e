"""Asks cache servers and the store what speaks against their reports: events dropped, keys evicted, objects not reported."""

from __future__ import annotations

import asyncio
import logging

import httpx

from stack.adapters.store_counters import CacheStore, StoreSilentError
from stack.api.cache_board import CacheBoard
from stack.engines.lmcache_events import CacheEventFormatError
from stack.engines.lmcache_status import read

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 1.0
DEADLINE_SECONDS = 3.0
STATUS_BYTES = 1 << 20


class CacheWatch:
    """One question a second to each. Who does not answer is not heard of, and the directory knows what that means."""

    def __init__(self, board: CacheBoard, client: httpx.AsyncClient, store: CacheStore | None) -> None:
        self._board = board
        self._client = client
        self._store = store

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(INTERVAL_SECONDS)

    async def look(self) -> None:
        """Ask everyone once."""
        questions = [self._ask(server, url) for server, url in list(self._board.addresses.items())]
        await asyncio.gather(self._ask_store(), *questions)

    async def _ask(self, server: str, url: str) -> None:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = await self._client.get(f"{url}/status", timeout=DEADLINE_SECONDS)
            status = read(answer.content[:STATUS_BYTES])
        except httpx.ConnectError:
            self._board.vanish(server)
            return
        except (httpx.HTTPError, TimeoutError, CacheEventFormatError, httpx.InvalidURL) as error:
            log.debug("cache server not described", extra={"server": server, "error": type(error).__name__})
            return
        self._board.describe(server, status)

    async def _ask_store(self) -> None:
        if self._store is None:
            return
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                counters = await self._store.counters()
        except (StoreSilentError, TimeoutError) as error:
            log.debug("store not described", extra={"error": str(error)})
            return
        self._board.describe_store(counters.losses, counters.keys)
