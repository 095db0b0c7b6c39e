"""Work that goes on while a drill waits for alerts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def meanwhile(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Ends `work` at the end. Had it ended by itself, with an error, that is raised then: what was seen is worth nothing."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error
