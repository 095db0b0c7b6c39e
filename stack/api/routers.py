"""What the routers last said, and which of them are alive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from stack.api.schema import RouterView
from stack.control.link import RouterReport

LIVE_SECONDS = 5.0  # routers report every second; four missed reports are no hiccup
FORGET_SECONDS = 600.0  # a dead router stays visible that long
ROUTERS_MAX = 256  # ids come over the network


@dataclass(frozen=True, slots=True)
class _Heard:
    report: RouterReport
    at: float


class Routers:
    """The last report of every router. `clock` is monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._heard: dict[str, _Heard] = {}
        self._reported = asyncio.Event()

    def take(self, report: RouterReport) -> None:
        """Remember `report`, forget routers long gone, and wake who waits for acknowledgements. Decisions are not kept here."""
        now = self._clock()
        self._heard.pop(report.id, None)
        self._heard[report.id] = _Heard(report, now)
        kept = [heard for heard in self._heard.values() if now - heard.at <= FORGET_SECONDS][-ROUTERS_MAX:]
        self._heard = {heard.report.id: heard for heard in kept}
        self._reported.set()
        self._reported = asyncio.Event()

    def live(self) -> tuple[RouterReport, ...]:
        """The last reports of the routers that are alive."""
        now = self._clock()
        return tuple(heard.report for heard in self._heard.values() if now - heard.at <= LIVE_SECONDS)

    def views(self) -> tuple[RouterView, ...]:
        """Every router heard of, ordered by id."""
        now = self._clock()
        return tuple(
            RouterView(
                id=name,
                generation=heard.report.generation,
                age_seconds=round(now - heard.at, 3),
                live=now - heard.at <= LIVE_SECONDS,
                schema=heard.report.schema,
                ignored=heard.report.ignored,
                refused=heard.report.refused,
            )
            for name, heard in sorted(self._heard.items())
        )

    @property
    def unheard(self) -> bool:
        """No router is alive: what is in force, nothing goes by."""
        return not self.live()

    def pending(self, version: int) -> tuple[str, ...]:
        """The live routers that have not applied `version` or a later one yet."""
        return tuple(sorted(report.id for report in self.live() if report.version < version))

    async def acknowledged(self, version: int, wait_seconds: float) -> tuple[str, ...]:
        """Wait until every live router has followed or refused, at most `wait_seconds`; who has not followed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                while any(_undecided(report, version) for report in self.live()):
                    await self._reported.wait()
        return self.pending(version)


def _undecided(report: RouterReport, version: int) -> bool:
    return report.version < version and (report.refused is None or report.refused.version < version)
