"""What looks again and again for as long as control runs."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import ClassVar

log = logging.getLogger(__name__)


class Looking(ABC):
    """One look after the other, `every_seconds`, or at once when it is poked.

    A fault in one look is logged whole and ends none of those that follow: steering goes on.
    """

    every_seconds: ClassVar[float]

    def __init__(self) -> None:
        self._poked = asyncio.Event()

    @abstractmethod
    async def tick(self) -> None:
        """One look, and what it calls for."""

    def poke(self) -> None:
        """Look again at once."""
        self._poked.set()

    async def run(self) -> None:
        """Look for ever."""
        while True:
            try:
                await self.tick()
            except Exception:  # whatever is wrong with one look, the next one comes
                log.exception("a look failed", extra={"looking": type(self).__name__})
            with suppress(TimeoutError):
                async with asyncio.timeout(self.every_seconds):
                    await self._poked.wait()
            self._poked.clear()
