"""Control's watch over the cache behind the engines, as a task of the control process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from stack.adapters.store_counters import store_at
from stack.api.cache_board import CacheBoard
from stack.api.cache_watch import CacheWatch
from stack.control.cache_directory import CacheDirectory


def cache_board(store_url: str | None, epoch: int) -> CacheBoard:
    """An empty board; `epoch` is above that of any control before this one."""
    return CacheBoard(CacheDirectory(epoch, has_store=store_url is not None), time.monotonic)


@asynccontextmanager
async def watching(board: CacheBoard, store_url: str | None) -> AsyncIterator[None]:
    """Cache servers and the store are asked as long as the context lasts. Raises ValueError for an address that is none."""
    store = None if store_url is None else store_at(store_url)
    async with httpx.AsyncClient(trust_env=False) as client:
        task = asyncio.create_task(CacheWatch(board, client, store).run(), name="watch caches")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if store is not None:
                await store.close()
