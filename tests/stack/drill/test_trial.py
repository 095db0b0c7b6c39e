"""One drill, seen through alerts that come and go."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from stack.drill.drill import Drill, DrillError, Scene
from stack.drill.quick import Patience
from stack.drill.trial import Outcome, Trial

RULES = {"groups": [{"name": "a", "rules": [{"alert": "KvdeckX", "expr": "increase(x[5m]) > 1", "for": "20s"}]}]}
SCENE = cast(Scene, None)  # the drills here lay hands on nothing


class Stack:
    """Alerts and absences by the second at which they begin and end; seconds pass by sleeping only."""

    def __init__(self, alerts: Mapping[str, tuple[float, float]], away: Mapping[str, tuple[float, float]] | None = None) -> None:
        self.now, self.broken, self.said = 0.0, False, list[str]()
        self._alerts, self._away = alerts, away or {}

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def firing(self) -> Mapping[str, str]:
        return {name: f"{name} after {self.now:.0f} s" for name in self._at(self._alerts)}

    async def away(self) -> tuple[str, ...]:
        return tuple(self._at(self._away))

    def _at(self, spans: Mapping[str, tuple[float, float]]) -> list[str]:
        return sorted(name for name, (begins, ends) in spans.items() if begins <= self.now < ends)

    def drill(self, fault: str = "") -> Drill:
        @asynccontextmanager
        async def broken(scene: Scene) -> AsyncIterator[None]:
            self.broken = True
            try:
                if fault:
                    raise DrillError(fault)
                yield
            finally:
                self.broken = False

        return Drill("x", "X is broken", broken, ("KvdeckX",), frozenset({"KvdeckY"}), within=10, emulated=True)

    def play(self, **drill: Any) -> Outcome:
        trial = Trial(watch=self, patience=Patience([RULES]), say=self.said.append, clock=self.clock, sleep=self.sleep)
        return asyncio.run(trial.play(self.drill(**drill), SCENE))


def outcome(**told: Any) -> Outcome:
    return Outcome(drill="x", title="X is broken", required=("KvdeckX",), **told)


def test_it_passes_when_what_is_required_came_and_all_of_it_went() -> None:
    stack = Stack({"KvdeckX": (12, 30), "KvdeckY": (15, 40)}, away={"engine": (12, 20)})
    played = stack.play()
    assert played == outcome(arrived={"KvdeckX": 12}, within_seconds=70, tolerated=("KvdeckY",), cleared_seconds=28)
    assert played.passed
    assert not stack.broken


def test_it_fails_when_what_is_required_comes_late() -> None:
    played = Stack({"KvdeckX": (200, 300)}).play()
    assert played == outcome(within_seconds=70, cleared_seconds=0)
    assert not played.passed


@pytest.mark.parametrize("came", [(5, 20), (21, 25)], ids=["before", "while it clears"])
def test_it_fails_when_something_else_came(came: tuple[float, float]) -> None:
    played = Stack({"KvdeckX": (12, 30), "Other": came}).play()
    assert (played.unexpected, played.passed) == ({"Other": f"Other after {came[0]} s"}, False)


def test_it_fails_when_something_stays_for_longer_than_its_rule_remembers() -> None:
    stack = Stack({"KvdeckX": (12, 5000)})
    played = stack.play()
    assert (played.lingering, played.cleared_seconds, played.passed) == (("KvdeckX",), None, False)
    assert 12 + 300 + 40 < stack.now < 12 + 300 + 45


def test_it_fails_when_the_stack_does_not_come_back() -> None:
    assert Stack({"KvdeckX": (12, 30)}, away={"engine": (12, 5000)}).play().lingering == ("engine",)


def test_it_waits_a_while_for_quiet_and_breaks_nothing_without() -> None:
    assert Stack({"Other": (0, 20), "KvdeckX": (25, 40)}).play().passed
    stack = Stack({"Other": (0, 5000)})
    assert stack.play() == outcome(fault="Other at Alertmanager before anything was broken")
    assert stack.now < 45


def test_what_cannot_be_broken_is_told() -> None:
    assert Stack({}).play(fault="no such engine") == outcome(fault="no such engine")


def test_it_mends_on_ctrl_c() -> None:
    stack = Stack({})

    async def interrupted(seconds: float) -> None:
        raise asyncio.CancelledError

    trial = Trial(watch=stack, patience=Patience([RULES]), say=stack.said.append, clock=stack.clock, sleep=interrupted)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(trial.play(stack.drill(), SCENE))
    assert not stack.broken


def test_it_says_what_it_waits_for() -> None:
    stack = Stack({"KvdeckX": (2, 3)}, away={"engine": (2, 3)})
    stack.play()
    assert stack.said == [
        "x: x is broken",
        "x: 0 s, waiting for KvdeckX (at most 70 s)",
        "x: 1 s, waiting for KvdeckX (at most 70 s)",
        "x: mending",
        "x: 0 s, engine not back yet",
    ]
