"""What is asked of a target beside its metrics, which must not cost them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import httpx

from stack.adapters.exposition import ExpositionError

T = TypeVar("T")

# A page that hangs would use up what is left for the metrics of the target itself and of the stages after it.
SECONDS = 0.5


async def aside(answer: Awaitable[T], seconds: float = SECONDS) -> T | None:
    """The answer, None where the target fails at it or does not give it within `seconds`; to be asked again then."""
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except (TimeoutError, httpx.HTTPError, ExpositionError):
        return None
