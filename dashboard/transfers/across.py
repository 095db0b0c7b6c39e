"""The part of the page about requests that go across: their phases, the transfers between, and what was late or lost."""

from __future__ import annotations

from dashboard.asking import Answers, Question
from dashboard.marks import Mark
from dashboard.scope import Scope
from dashboard.transfers import moving, phases


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked."""
    return {**phases.questions(scope), **moving.questions(scope)}


def draw(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    """Draw it."""
    phases.phases(answers, scope, marks)
    moving.moving(answers, scope, marks)
