"""Cache: where prompt tokens' KV came from, what each tier holds and loses, and whether more of it would help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from dashboard import asking, notices, panels
from dashboard.asking import Answers, Question
from dashboard.caching import origins, sizing, tiers
from dashboard.marks import Mark, marks
from dashboard.scope import Scope, toolbar


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the page: what it asks of Prometheus, all at once, and how it draws the answers."""

    questions: Callable[[Scope], Mapping[str, Question]]
    draw: Callable[[Answers, Scope, list[Mark]], None]


PARTS = {
    "Where KV came from": Part(origins.questions, origins.draw),
    "Tiers": Part(tiers.questions, tiers.draw),
    "A bigger L1?": Part(sizing.questions, sizing.draw),
}
"""By title; the URL holds which one is looked at, and only that one is asked for."""


def page() -> None:
    """Draw the page."""
    scope = toolbar("Cache")
    chosen = st.segmented_control(
        "Part of the page", list(PARTS), default=next(iter(PARTS)), key="cache-part", bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    scope.live(_live, PARTS[chosen or next(iter(PARTS))], scope)


def _live(part: Part, scope: Scope) -> None:
    with notices.told():
        answers = asking.ask(part.questions(scope), scope.span)
        part.draw(answers, scope, marks(scope.span))
        panels.footer(answers, scope.refresh)
