"""DPD: where a disaggregated request's time goes, how KV gets across, and what another threshold would do."""

from __future__ import annotations

import streamlit as st

from dashboard import hours, notices, sources
from dashboard.parts import Part, chosen
from dashboard.scope import Scope, toolbar
from dashboard.transfers import across, load, threshold
from dashboard.wording import plain

THRESHOLD = "Threshold"
PARTS = {"Load and advice": Part(load.questions, load.draw), "Time and transfers": Part(across.questions, across.draw)}
"""Those that ask Prometheus, by title; the threshold's is control's alone."""


def page() -> None:
    """Draw the page."""
    scope = toolbar("DPD")
    part = chosen([*PARTS, THRESHOLD], "dpd-part")
    if part in PARTS:
        PARTS[part].live(scope)
        return
    hours.of_now(scope.until, "What is in force, and what control remembers")
    model = None
    with notices.told():
        model = _model(scope)
    if model is not None:
        threshold.draw(model)


def _model(scope: Scope) -> str | None:
    """The model that is steered here: the one that is picked, or the only one. Raises as `sources.state` does."""
    served = sorted(sources.state().desired.models)
    if scope.model_name is not None:
        return scope.model_name
    if len(served) == 1:
        return served[0]
    st.info(
        f"Several models are served: {plain(', '.join(served))}. Pick one above to try thresholds with.",
        icon=":material/filter_alt:",
    )
    return None
