"""Marks of changes on a time axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import streamlit as st

from dashboard import changes, sources
from dashboard.charts import Span
from dashboard.marks import marks, within
from dashboard.scope import Scope
from stack.api.history_schema import GenerationsView, GenerationView
from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import Change
from stack.metrics.family import Label

END = datetime(2026, 11, 30, 12, tzinfo=UTC)
SPAN = Span(END - timedelta(hours=1), END)


def record(generation: int, ago: float, *fields: str, outcome: Outcome = Outcome.APPLIED) -> AuditRecord:
    diff = tuple(Change(field=name, before=1, after=2) for name in fields)
    return AuditRecord(at=END.timestamp() - ago, actor="ann", outcome=outcome, generation=generation, diff=diff)


OWN, OTHER, ALL = "models.m-1.5.strategy", "models.m-1.strategy", "tiers.l1.bytes"


def told(records: list[AuditRecord], model: str | None) -> list[str]:
    return [mark.words for mark in within(records, SPAN, model)]


def test_marks_are_of_the_model_that_is_picked_and_of_the_whole_fleet() -> None:
    records = [record(4, 10, OTHER), record(3, 20, ALL), record(2, 30, OWN, OTHER), record(1, 40, outcome=Outcome.STARTED)]
    both = "generation 2 by ann: m-1.5.strategy: 1 → 2"
    assert told(records, "m-1.5") == [both, "generation 3 by ann: tiers.l1.bytes: 1 → 2"]
    assert told(records, None) == [
        f"{both}; m-1.strategy: 1 → 2", "generation 3 by ann: tiers.l1.bytes: 1 → 2", "generation 4 by ann: m-1.strategy: 1 → 2",
    ]  # fmt: skip


def test_marks_are_within_what_is_looked_at() -> None:
    assert told([record(3, -1, OWN), record(2, 3600, OWN), record(1, 3601, OWN)], None) == [
        "generation 2 by ann: m-1.5.strategy: 1 → 2"
    ]


@dataclass
class Control:
    """Keeps generations a minute apart, and what it was asked for."""

    last: int
    asked: list[int | None] = field(default_factory=list)

    def generations(self, *, limit: int, before: int | None = None) -> GenerationsView:
        self.asked.append(before)
        upper = self.last if before is None else before - 1
        return GenerationsView(generations=tuple(_view(number, self.last) for number in range(upper, max(0, upper - limit), -1)))


def _view(number: int, last: int) -> GenerationView:
    made = record(number, (last - number) * 60, OWN)
    return GenerationView(generation=number, at=made.at, record=made)


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch) -> Iterator[Control]:
    playing = Control(450)
    monkeypatch.setattr(sources, "control", lambda: playing)
    yield playing
    st.session_state.clear()


def looked_at(minutes: int) -> list[int]:
    return [mark.generation for mark in marks(Scope(timedelta(minutes=minutes, seconds=30), None, {}, END))]


def test_marks_go_back_as_far_as_is_looked_at_and_control_is_asked_no_more_than_that_takes(control: Control) -> None:
    assert looked_at(50) == list(range(400, 451))
    assert control.asked == [None]
    assert looked_at(250) == list(range(200, 451))
    assert control.asked == [None, 351, 251]
    assert looked_at(240) == list(range(210, 451))
    assert control.asked == [None, 351, 251]
    sources.forget()
    assert looked_at(250) == list(range(200, 451))
    assert control.asked == [None, 351, 251, None], "what was is read once"


def test_a_control_that_began_anew_is_read_anew(control: Control) -> None:
    looked_at(250)
    control.last, control.asked = 900, []
    sources.forget()
    assert looked_at(150) == list(range(750, 901))
    assert control.asked == [None, 801]


def test_where_there_are_more_changes_than_are_read_a_mark_says_so(control: Control) -> None:
    control.last = 5000
    first, second, *_ = marks(Scope(timedelta(days=7), None, {Label.MODEL_NAME: "m-1.5"}, END))
    assert first.words == "changes before generation 4001 are not marked: more than 1,000 followed"
    assert (second.generation, len(control.asked)) == (4001, changes.MOST // sources.GENERATIONS)


def test_a_log_that_ends_is_whole(control: Control) -> None:
    control.last = 30
    assert looked_at(9000) == list(range(1, 31))
    assert control.asked == [None]
