"""Who looks at the dashboard, shown on every page."""

from __future__ import annotations

import streamlit as st

from dashboard import notices, sources


def badge() -> None:
    """Say it small where this person can only look."""
    with notices.quiet():
        if not sources.may_change():
            st.badge("look only", icon=":material/visibility:", color="gray")
