"""Waiting for another task, or another process, to get somewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


async def until(true: Callable[[], bool | Awaitable[bool]], limit_seconds: float = 60.0) -> None:
    """Return once `true()` is; TimeoutError after the limit."""
    async with asyncio.timeout(limit_seconds):
        while True:
            now = true()
            if now if isinstance(now, bool) else await now:
                return
            await asyncio.sleep(0.001)
