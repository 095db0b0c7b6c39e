"""What another DPD threshold would have done with the requests that were recorded."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import notices, sources
from stack.api.what_if_words import computed, heading, load, milliseconds, remarks
from stack.control.what_if import WhatIf


@st.fragment
def thresholds(model: str) -> None:
    """Draw it once it is asked for: control has to go over thousands of requests."""
    with st.expander("What another threshold would do"), notices.told():
        if not st.toggle("Try thresholds on recorded requests", key=f"what-if-{model}"):
            return
        view = sources.control().what_if(model=model)
        st.markdown(heading(view))
        if view.trials:
            st.dataframe(trials(view), hide_index=True, key=f"trials-{model}")
        if view.bands:
            st.dataframe(bands(view), hide_index=True, key=f"bands-{model}")
        for remark in remarks(view):
            st.caption(remark)
        if view.trials:
            st.caption("Set one above, as the routing threshold; the preview says what it does.")


def trials(view: WhatIf) -> pd.DataFrame:
    """One row a threshold."""
    rows = []
    for trial in view.trials:
        busy, wait, waiting = load(trial.prefill)
        now = " (now)" if trial.threshold == view.dpd.routing_threshold else ""
        rows.append({
            "threshold": f"{trial.threshold:,}{now}",
            "requests disaggregated": f"{trial.share:.1%}",
            "prompt tokens": f"{trial.token_share:.1%}",
            "prefill pool busy": busy,
            "mean wait": wait,
            "waiting": waiting,
        })  # fmt: skip
    return pd.DataFrame(rows)


def bands(view: WhatIf) -> pd.DataFrame:
    """Median TTFT by path, one row for prompts of like length."""
    return pd.DataFrame([{
        "prompt tokens, from": f"{band.least:,}",
        "direct": milliseconds(band.direct),
        "disaggregated": milliseconds(band.disaggregated),
        "difference": milliseconds(band.difference, "+"),
        "tokens computed": computed(band),
    } for band in view.bands])  # fmt: skip
