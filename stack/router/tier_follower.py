"""Follows what control relays of the caches behind the engines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from stack.adapters.control_link import ControlUnavailableError
from stack.cache.relay import CacheUpdate
from stack.cache.tier_index import TierIndex
from stack.router.settings import RouterSettings

log = logging.getLogger(__name__)


class CacheLink(Protocol):
    """What control can be asked; may raise ControlUnavailableError."""

    async def cache(self, epoch: int, since: int, wait_seconds: float) -> CacheUpdate: ...


class TierFollower:
    """Keeps `index` fresh. While control is away the index grows old, and says so by itself."""

    def __init__(self, link: CacheLink, index: TierIndex, settings: RouterSettings, clock: Callable[[], float]) -> None:
        self._link = link
        self._index = index
        self._settings = settings
        self._clock = clock
        self._wait = 0.0

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            await self.follow()

    async def follow(self) -> None:
        """One question to control, and a pause when it does not answer."""
        try:
            update = await self._link.cache(*self._index.position, self._wait)
        except ControlUnavailableError as error:  # steering logs that control is away
            log.debug("cache reports not relayed", extra={"error": str(error)})
            await asyncio.sleep(self._settings.control_retry_s)
            return
        self._index.take(update, self._clock())
        self._wait = 0.0 if update.more else self._settings.cache_wait_s
        await asyncio.sleep(0.0 if update.more else self._settings.cache_pause_s)
