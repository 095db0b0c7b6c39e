"""Edits that a link brings: `/control?set=dpd.routing_threshold=2048` fills the form, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import streamlit as st

from dashboard.steering.draft import Draft
from dashboard.wording import plain
from stack.api.assignments import AssignmentError, patch
from stack.api.schema import StateView

PARAMETER = "set"


def linked(model: str, draft: Draft, state: StateView, serial: Callable[[], int]) -> Draft | None:
    """`draft` with what the link sets, once; None where there is no such link, or it makes no sense, which is said."""
    words = st.query_params.get_all(PARAMETER)
    if not words:
        return None
    del st.query_params[PARAMETER]
    try:
        edits = patch(words, state.desired.models, model)
        return draft.with_(edits, serial())
    except (AssignmentError, msgspec.ValidationError) as error:
        st.error(f"The link sets what cannot be set: {plain(str(error))}", icon=":material/link_off:")
        return None
