"""Examines the fleet's silent preconditions, one examination at a time, and keeps what the last one found."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from stack.api.doctor_schema import DoctorView
from stack.control.precondition import Precondition

Examine = Callable[[], Awaitable[tuple[Precondition, ...]]]

DEADLINE_SECONDS = 90.0  # a thousand engines, sixteen at a time, of which some do not answer
AGAIN_SECONDS = 3.0  # whoever asks on and on must not have engines asked on and on

log = logging.getLogger(__name__)


class Examining:
    """`clock` is monotonic seconds, `wall` Unix seconds."""

    def __init__(self, examine: Examine, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        self._examine, self._clock, self._wall = examine, clock, wall
        self._last, self._ended = DoctorView(), -AGAIN_SECONDS
        self._began = 0.0
        self._task: asyncio.Task[None] | None = None

    async def view(self, *, again: bool, wait_seconds: float) -> DoctorView:
        """What is known. With `again`, and the first time, an examination begins, and is waited for at most so long."""
        if self._task is None and (self._last == DoctorView() or (again and self._clock() - self._ended >= AGAIN_SECONDS)):
            self._began, self._task = self._clock(), asyncio.create_task(self._run(), name="examine")
        if self._task is not None:
            await asyncio.wait([self._task], timeout=wait_seconds)
        now, found = self._clock(), self._last
        return replace(
            found,
            age_seconds=None if found.at is None else max(0.0, self._wall() - found.at),
            running_seconds=None if self._task is None else now - self._began,
        )

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                checks = await self._examine()
            self._last = DoctorView(checks=checks, at=self._wall(), took_seconds=self._clock() - self._began)
        except TimeoutError:
            self._last = replace(self._last, error=f"the examination took longer than {DEADLINE_SECONDS:.0f} s")
        except Exception as error:  # it looks at much that is foreign, and control must not go down with it
            log.exception("examination failed")
            self._last = replace(self._last, error=f"the examination failed: {type(error).__name__}: {error}")
        finally:
            self._ended, self._task = self._clock(), None
