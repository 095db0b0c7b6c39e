"""Takes every request to the side of a change that it belongs to, and keeps what each change came to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from stack.api.board import Board
from stack.api.ring import DecisionRing
from stack.api.sight import Sight
from stack.control.cost import Prices, unpriced
from stack.control.course import Course
from stack.control.decision import Arm, DecisionRecord
from stack.control.diff import diff
from stack.control.epoch import Terms
from stack.control.ports import Kept, ReportStore, StoreError
from stack.control.readiness import ready
from stack.control.report import Report
from stack.control.sample import samples

LOOK_SECONDS = 1.0
UNKEPT_MAX = 64  # complete reports that wait for a disk that fails
CHECKPOINT_SECONDS = 60.0  # what a crash costs of a report that is being made
CUT_SHORT = "Control ended before this was complete: requests that came later are not among these."

log = logging.getLogger(__name__)


class Reporter:
    """Follows `board` and `ring` from its making on. `wall` is Unix seconds. Nothing that goes wrong here hinders any steering."""

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
        self._failing = False
        self._dropped = ring.dropped
        board.listeners.append(lambda before, after: _guarded(lambda: self._changed(before, after)))
        ring.readers.append(lambda records: _guarded(lambda: self._read(records)))

    async def run(self) -> None:
        """Look again and again until cancelled; what is being measured then is kept as far as it got."""
        looks = 0
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                looks += 1
                try:
                    await self.look()
                    if looks * LOOK_SECONDS % CHECKPOINT_SECONDS == 0:
                        await self.keep_unfinished()
                except Exception:  # a fault in one look must not end all reports; it is logged whole and the next look comes
                    log.exception("reporting failed")
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
        del self._unkept[:-UNKEPT_MAX]
        complete = tuple(self._unkept)  # there until they are on disk: somebody may ask meanwhile
        if complete and await self._put(complete):
            del self._unkept[: len(complete)]

    async def keep_unfinished(self) -> None:
        """What is being measured, as far as it got."""
        if unfinished := [report for course in self._courses.values() for report in course.unfinished()]:
            await self._put(unfinished)

    async def _put(self, reports: Sequence[Report]) -> bool:
        """Whether they are on disk now. That it fails is told once, until it goes well again."""
        try:
            await self._store.put(reports)
        except StoreError as error:
            if not self._failing:
                log.error("reports not kept", extra={"generation": reports[0].generation, "error": str(error)})
            self._failing = True
            return False
        self._failing = False
        return True

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
                changes = diff(before.desired, after.desired)
                mine = tuple(change for change in changes if change.field.startswith((f"models.{model}.", "tiers.")))
                self._unkept += course.changed(after.generation, now, mine)

    def _read(self, records: Sequence[DecisionRecord]) -> None:
        for sample in samples(record for record in records if record.arm is not Arm.CANDIDATE):  # that one went by another document
            if (course := self._courses.get(sample.model)) is not None:
                course.add(sample)


def _guarded(step: Callable[[], None]) -> None:
    try:
        step()
    except Exception:  # a change is in force, or a router waits: whatever is wrong in measuring, it is logged and no more
        log.exception("not measured")


def _cut(report: Report) -> Report:
    return report if report.complete else replace(report, notes=(CUT_SHORT, *report.notes))
