"""A page in parts, of which one is looked at: only that one asks Prometheus, and the URL holds which it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard import address, asking, notices, panels
from dashboard.asking import Answers, Question
from dashboard.marks import Mark, marks
from dashboard.scope import Scope


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a page: what it asks of Prometheus, all at once, and how it draws the answers."""

    questions: Callable[[Scope], Mapping[str, Question]]
    draw: Callable[[Answers, Scope, list[Mark]], None]

    def live(self, scope: Scope) -> None:
        """Ask and draw, again and again."""
        scope.live(_live, self, scope)


def chosen(titles: Sequence[str], key: str, opens: str | None = None) -> str:
    """Which part is looked at, the first unless somebody chose; `key` is the URL's word for it.

    `opens`: what a link to the page may have it open with instead, where it names no part.
    """
    fills = opens is not None and address.drawing()
    if fills and (now := st.session_state.get(key, None if key in st.query_params else opens)):
        st.session_state[key] = now
    title = st.segmented_control(
        "Part of the page", titles, default=titles[0] if opens is None else None, key=key, bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    return title or titles[0]


def _live(part: Part, scope: Scope) -> None:
    with notices.told():
        answers = asking.ask(part.questions(scope), scope.span)
        part.draw(answers, scope, marks(scope))
        panels.footer(answers, scope.refresh)
