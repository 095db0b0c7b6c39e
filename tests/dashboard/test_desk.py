"""Questions to Prometheus: one for all who want to know the same, an answer or a reason by the deadline."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pandas as pd
import pytest

from dashboard.desk import KEPT_SECONDS, Desk, Failed, Inquiry, Value
from dashboard.promapi import PromApi, PrometheusUnavailableError, Sample

END = datetime(2026, 1, 1, tzinfo=UTC)
RATE, SHARE = Inquiry("rate", None, END), Inquiry("share", END, END)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Played(PromApi):
    """Answers at once, refuses, or holds its answers back until it is let go."""

    clock: Clock
    refuses: bool = False
    held: threading.Event = field(default_factory=threading.Event)
    heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__("http://prometheus", clock=self.clock)
        self.held.set()

    def instant(self, expression: str, at: float | None = None) -> list[Sample]:
        self._hear(expression)
        return [Sample({}, 1.0, 0.0)]

    def series(self, expression: str, start: datetime, end: datetime) -> pd.DataFrame:
        self._hear(expression)
        return pd.DataFrame({"value": [1.0]})

    def _hear(self, expression: str) -> None:
        self.heard.append(expression)
        self.held.wait(timeout=10)
        if self.refuses:
            raise PrometheusUnavailableError("refused")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def played(clock: Clock) -> Played:
    return Played(clock)


def test_the_same_is_asked_once_until_its_answer_is_old(played: Played, clock: Clock) -> None:
    asked = Desk(played, clock)
    assert [asked.answers([RATE]) for _ in range(2)] == [[[Sample({}, 1.0, 0.0)]]] * 2
    clock.now += KEPT_SECONDS + 1
    asked.answers([RATE])
    assert played.heard == ["rate", "rate"]


def test_who_changes_a_frame_changes_it_for_nobody_else(played: Played, clock: Clock) -> None:
    asked = Desk(played, clock)
    (first,) = asked.answers([SHARE])
    assert isinstance(first, pd.DataFrame)
    first["value"] = 2.0
    (second,) = asked.answers([SHARE])
    assert isinstance(second, pd.DataFrame)
    assert list(second["value"]) == [1.0]


def test_a_question_that_failed_is_asked_again_at_the_next_refresh(played: Played, clock: Clock) -> None:
    asked = Desk(played, clock)
    played.refuses = True
    assert asked.answers([RATE]) == [Failed("refused")]
    assert asked.answers([RATE]) == [Failed("refused")]
    played.refuses = False
    clock.now += 5
    assert asked.answers([RATE]) == [[Sample({}, 1.0, 0.0)]]
    assert played.heard == ["rate", "rate"]


def test_what_comes_late_is_there_for_who_asks_next(played: Played, clock: Clock) -> None:
    asked = Desk(played, clock, deadline=0.05)
    played.held.clear()
    late: list[Value | Failed] = [Failed("Prometheus at http://prometheus: no answer within 0.05 s")]
    assert asked.answers([RATE]) == late
    clock.now += 1
    assert asked.answers([SHARE]) == late, "it is left alone"
    played.held.set()
    clock.now += 5
    while asked.answers([RATE]) != [[Sample({}, 1.0, 0.0)]]:
        clock.now += 5
    assert played.heard == ["rate"]


def test_old_answers_make_room(played: Played, clock: Clock) -> None:
    asked = Desk(played, clock, kept=1)
    asked.answers([RATE])
    asked.answers([SHARE])
    asked.answers([RATE])
    assert played.heard == ["rate", "share", "rate"]


def test_nothing_asked_is_nothing_answered(played: Played, clock: Clock) -> None:
    assert Desk(played, clock).answers([]) == []
    assert played.away is None
