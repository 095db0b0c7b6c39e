"""Engines that have prompts to work on and say nothing for longer than those explain: reported, and ejected where configured."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from stack.router.in_flight import InFlight
from stack.router.settings import RouterSettings

log = logging.getLogger(__name__)


class Stalls:
    """Looks now and then; logs an engine once when it stalls and once when it goes on."""

    def __init__(
        self,
        in_flight: InFlight,
        settings: RouterSettings,
        clock: Callable[[], float],
        stalled: Callable[[str, str], None] = lambda engine, account: None,
    ) -> None:
        """`clock` is the one that `in_flight` goes by. `stalled` is told at every look, with the stall in words."""
        self._in_flight = in_flight
        self._tell = stalled
        self._settings = settings
        self._clock = clock
        self._stalled: dict[str, float] = {}

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(self._settings.report_interval_s)

    def look(self) -> None:
        """Find out which engines are stalled now."""
        before, self._stalled = self._stalled, self._find()
        for name in self._stalled.keys() - before.keys():
            log.warning("engine stalled", extra={"engine": name, "seconds": round(self._stalled[name], 1)})
        for name in before.keys() - self._stalled.keys():
            log.info("engine no longer stalled", extra={"engine": name})
        for name in self._stalled:
            self._tell(name, self.account(name))

    def seconds(self, engine: str) -> float:
        """For how long the engine has been silent, once that is a stall; else 0."""
        return self._stalled.get(engine, 0.0)

    def account(self, engine: str) -> str:
        """The stall in words; empty when there is none."""
        seconds = self._stalled.get(engine)
        return "" if seconds is None else f"stalled for {seconds:.0f} s"

    def _find(self) -> dict[str, float]:
        now, found = self._clock(), {}
        for name in self._in_flight.counts:
            waiting = self._in_flight.waiting(name)
            limit = self._settings.stall_s + waiting.tokens / self._settings.stall_tokens_per_s
            if waiting.since is not None and now - waiting.since > limit:
                found[name] = now - waiting.since
        return found
