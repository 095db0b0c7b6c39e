"""Takes every request to the side of a change that it belongs to, and keeps what each change came to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from stack.api.board import Board
from stack.api.ring import DecisionRing
from stack.api.sight import Sight
from stack.control.cost import Prices, unpriced
from stack.control.course import Course
from stack.control.decision import Arm, DecisionRecord
from stack.control.epoch import Terms
from stack.control.ports import Kept, ReportStore, StoreError
from stack.control.readiness import ready
from stack.control.report import Report
from stack.control.sample import samples

LOOK_SECONDS = 1.0
CHECKPOINT_SECONDS = 60.0  # what a crash costs of a report that is being made
CUT_SHORT = "Control ended before this was complete: requests that came later are not among these."

log = logging.getLogger(__name__)


class Reporter:
    """Follows `board` and `ring` from its making on. `wall` is Unix seconds."""

    def __init__(
        self,
        *,
        board: Board,
        ring: DecisionRing,
        sight: Sight,
        store: ReportStore,
        wall: Callable[[], float],
        terms: Terms | None = None,
    ) -> None:
        self._board, self._ring, self._sight, self._store, self._wall, self._terms = board, ring, sight, store, wall, terms
        models = board.desired.models.items()
        self._courses = {model: Course(model, board.generation, wall(), Prices.of(state), terms) for model, state in models}
        self._unkept: list[Report] = []
        self._dropped = ring.dropped
        board.listeners.append(self._changed)
        ring.readers.append(self._read)

    async def run(self) -> None:
        """Look again and again until cancelled; what is being measured then is kept as far as it got."""
        looks = 0
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                await self.look()
                looks += 1
                if looks * LOOK_SECONDS >= CHECKPOINT_SECONDS:
                    looks = 0
                    await self.keep_unfinished()
        finally:
            await self.keep_unfinished()

    async def look(self) -> None:
        """Settle what has settled, and keep what is complete."""
        now, courses, members = self._wall(), self._courses.values(), self._sight.members()
        lost, self._dropped = self._ring.dropped - self._dropped, self._ring.dropped
        fields = [drift.field for drift in self._sight.drift()] if any(course.settling for course in courses) else []
        for course in courses:
            course.lost(lost)
            as_desired = not any(field.startswith((f"models.{course.model}.", "tiers.")) for field in fields)
            self._unkept += course.look(now, ready(members, course.model), as_desired=as_desired)
        complete, self._unkept = self._unkept, []
        await self._keep(complete)

    async def keep_unfinished(self) -> None:
        """What is being measured, as far as it got."""
        await self._keep(report for course in self._courses.values() for report in course.unfinished())

    async def _keep(self, reports: Iterable[Report]) -> None:
        """On disk; a report that cannot be kept is lost, and that is logged: nothing else depends on it."""
        for report in reports:
            try:
                await self._store.put(report)
            except StoreError as error:
                log.error("report not kept", extra={"generation": report.generation, "error": str(error)})

    async def of(self, generation: int) -> tuple[Report, ...]:
        """What the change to `generation` came to, so far or for good, a report for each model. Raises StoreError."""
        kept = {report.model: report for report in await self._store.of(generation)}
        cut = {model: _cut(report) for model, report in kept.items()}
        now = {report.model: report for report in self._unkept if report.generation == generation}
        for model, course in self._courses.items():
            if (report := course.report(generation)) is not None:
                now[model] = report
        return tuple(report for _, report in sorted((cut | now).items()))

    def _changed(self, before: Kept, after: Kept) -> None:
        now = self._wall()
        for model, state in after.desired.models.items():
            course, old, prices = self._courses.get(model), before.desired.models.get(model), Prices.of(state)
            if course is None or old is None:
                self._courses[model] = Course(model, after.generation, now, prices, self._terms)
                continue
            course.prices = prices
            if unpriced(state) != unpriced(old) or after.desired.tiers != before.desired.tiers:
                self._unkept += course.changed(after.generation, now)

    def _read(self, records: Sequence[DecisionRecord]) -> None:
        for sample in samples(record for record in records if record.arm is not Arm.CANDIDATE):  # that one went by another document
            if (course := self._courses.get(sample.model)) is not None:
                course.add(sample)


def _cut(report: Report) -> Report:
    return report if report.complete else replace(report, notes=(CUT_SHORT, *report.notes))
