"""Routing: which way requests went and why, how good that was, and who has more than its share."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from dashboard import asking, hours, notices, panels
from dashboard.deciding import compared, explained, listing, live, quality, recent, wanted
from dashboard.deciding.wanted import REQUEST, Wanted
from dashboard.scope import Scope, toolbar

_VIEW = "routing-view"


class View(StrEnum):
    """What the page shows of routing; the URL names it."""

    FLOW = "Flow"
    DECISIONS = "Decisions"
    QUALITY = "Quality"


def page() -> None:
    """Draw the page."""
    scope = toolbar("Routing")
    with st.container(horizontal=True, vertical_alignment="center"):
        view = _view()
        narrowed = Wanted(wanted.LAST[0]) if view is View.QUALITY else wanted.filters()
        st.text_input(
            "Explain request", placeholder="Explain: x-request-id", width=300, key=REQUEST, bind="query-params",
            label_visibility="collapsed", on_change=_look_at_decisions,
            help="The x-request-id of an answer; control remembers the latest ones.",
        )  # fmt: skip
    match view:
        case View.FLOW:
            scope.live(live.draw, scope, narrowed)
        case View.DECISIONS:
            scope.live(_decisions, scope, narrowed)
            explained.asked(scope)
        case View.QUALITY:
            scope.live(_quality, scope)


def _view() -> View:
    """The part that is picked; a link to one decision leads to the decisions."""
    if _VIEW not in st.session_state and _VIEW not in st.query_params:
        st.session_state[_VIEW] = (View.DECISIONS if REQUEST in st.query_params else View.FLOW).value
    picked = st.segmented_control(
        "Show", [view.value for view in View], key=_VIEW, bind="query-params", required=True,
        label_visibility="collapsed", help="Where requests go now; which decisions those were; how good they were over time.",
    )  # fmt: skip
    return View(picked or View.FLOW.value)


def _look_at_decisions() -> None:
    if st.session_state[REQUEST]:
        st.session_state[_VIEW] = View.DECISIONS.value


def _decisions(scope: Scope, narrowed: Wanted) -> None:
    hours.of_now(scope.until, "The newest decisions since these hours began")
    view = recent.found(scope, narrowed)
    if view is None:
        return
    if not view.decisions:
        recent.nothing(view, narrowed)
        return
    listing.draw(view.decisions)
    recent.reach(view, scope, narrowed)
    compared.draw(view.decisions)


def _quality(scope: Scope) -> None:
    with notices.told():
        answers = asking.ask(quality.questions(scope), scope.span)
        quality.draw(answers, scope)
        panels.footer(answers, scope.refresh)
