"""Routing: which way requests went and why, how good that was, and who has more than its share."""

from __future__ import annotations

import streamlit as st

from dashboard import hours
from dashboard.deciding import explanation, filters, listing, live, quality, recent, shadows
from dashboard.deciding.filters import REQUEST, Filters
from dashboard.parts import Part, chosen
from dashboard.scope import Scope, toolbar

FLOW, DECISIONS, QUALITY = "Flow", "Decisions", "Quality"
PARTS = {QUALITY: Part(quality.questions, quality.draw)}
"""Those that only ask Prometheus, by title; the others are control's as well."""
_PART = "routing-view"


def page() -> None:
    """Draw the page."""
    scope = toolbar("Routing")
    with st.container(horizontal=True, vertical_alignment="center"):
        part = chosen([FLOW, DECISIONS, *PARTS], _PART, DECISIONS if REQUEST in st.query_params else FLOW)
        narrowed = Filters(filters.LAST[0]) if part in PARTS else filters.chosen()
        st.text_input(
            "Explain request", placeholder="Explain: x-request-id", width=300, key=REQUEST, bind="query-params",
            label_visibility="collapsed", on_change=_look_at_decisions,
            help="The x-request-id of an answer; control remembers the latest ones.",
        )  # fmt: skip
    if part in PARTS:
        PARTS[part].live(scope)
    elif part == FLOW:
        scope.live(live.draw, scope, narrowed)
    else:
        scope.live(_decisions, scope, narrowed)
        explanation.asked(scope)


def _look_at_decisions() -> None:
    if st.session_state[REQUEST]:
        st.session_state[_PART] = DECISIONS


def _decisions(scope: Scope, narrowed: Filters) -> None:
    hours.of_now(scope.until, "The newest decisions since these hours began")
    view = recent.found(scope, narrowed)
    if view is None:
        return
    if not view.decisions:
        recent.nothing(view, narrowed)
        return
    listing.draw(view.decisions)
    recent.reach(view, scope, narrowed)
    shadows.draw(view.decisions)
