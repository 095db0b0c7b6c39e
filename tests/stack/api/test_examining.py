"""One examination at a time, its result kept with its age."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from stack.api.doctor_schema import DoctorView
from stack.api.examining import Examining
from stack.control.precondition import Precondition, Verdict
from stack.model.target import Target
from stack.wiring.control_alerts import Watchers
from tests.grants import EVERYBODY, bearer
from tests.stack.api.deck import Clock, deck

CLOCKS = Precondition(
    id="clocks", group="fleet", title="Clocks agree", verdict=Verdict.FAIL, evidence="decode-0 is 9 s ahead", why="So.", fix="NTP."
)


class Doctor:
    """Finds what the test says, when it says so."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.asked = clock, 0
        self.error: Exception | None = None
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def examine(self) -> tuple[Precondition, ...]:
        self.asked += 1
        await self.may_end.wait()
        self.clock.advance(2)
        if self.error is not None:
            raise self.error
        return (CLOCKS,)


def _examining(doctor: Doctor) -> Examining:
    return Examining(doctor.examine, doctor.clock, doctor.clock.wall)


async def test_the_first_who_asks_has_the_fleet_examined_and_the_next_hears_how_old_that_is() -> None:
    doctor = Doctor(Clock())
    examining = _examining(doctor)
    first = await examining.view(again=False, wait_seconds=1)
    assert first == DoctorView(checks=(CLOCKS,), at=doctor.clock.wall(), age_seconds=0.0, took_seconds=2.0)
    doctor.clock.advance(60)
    assert await examining.view(again=False, wait_seconds=1) == msgspec.structs.replace(first, age_seconds=60.0)
    assert doctor.asked == 1


async def test_an_examination_that_is_under_way_is_told_and_none_begins_beside_it() -> None:
    doctor = Doctor(Clock())
    doctor.may_end.clear()
    examining = _examining(doctor)
    assert await examining.view(again=True, wait_seconds=0) == DoctorView(running_seconds=0.0)
    doctor.clock.advance(5)
    assert (await examining.view(again=True, wait_seconds=0)).running_seconds == 5.0
    doctor.may_end.set()
    assert (await examining.view(again=False, wait_seconds=1)).took_seconds == 7.0
    assert doctor.asked == 1


async def test_again_is_again_but_not_on_and_on() -> None:
    doctor = Doctor(Clock())
    examining = _examining(doctor)
    for _ in range(3):
        await examining.view(again=True, wait_seconds=1)
    assert doctor.asked == 1
    doctor.clock.advance(3)
    await examining.view(again=True, wait_seconds=1)
    assert doctor.asked == 2


async def test_one_that_comes_to_nothing_says_why_and_leaves_what_was_found_before() -> None:
    doctor = Doctor(Clock())
    examining = _examining(doctor)
    found = await examining.view(again=False, wait_seconds=1)
    doctor.error = ConnectionError("no route")
    doctor.clock.advance(10)
    again = await examining.view(again=True, wait_seconds=1)
    assert (again.checks, again.at) == (found.checks, found.at)
    assert again.error == "the examination failed: ConnectionError: no route"


class Looked:
    """Says what it was asked to look at."""

    def __init__(self) -> None:
        self.targets: list[str] = []

    async def examine(self, targets: Sequence[Target], cache_server: str | None) -> tuple[Precondition, ...]:
        self.targets = [target.replica for target in targets]
        return (CLOCKS,)


async def test_a_viewer_may_have_controls_own_fleet_examined(tmp_path: Path) -> None:
    doctor = Looked()
    async with deck(tmp_path, tokens=EVERYBODY, watching=Watchers(doctor=doctor)) as it:
        it.http.headers.update(bearer("viewer"))
        answer = await it.http.get("/v1/doctor", params={"again": "true"})
        view = msgspec.json.decode(answer.content, type=DoctorView)
        assert (answer.status_code, view.checks, view.age_seconds) == (200, (CLOCKS,), 0.0)
        assert doctor.targets == ["decode-0", "decode-1", "prefill-0"]
        assert (await it.http.get("/v1/doctor", params={"agian": "true"})).status_code == 400


async def test_a_control_that_examines_nothing_says_so(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.get("/v1/doctor")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unconfigured")
