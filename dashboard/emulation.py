"""Emulated fleets are marked on every page."""

from __future__ import annotations

import streamlit as st

from dashboard import sources
from stack.api.client import ControlError


def banner() -> None:
    """Say so when any engine is emulated; say nothing when control cannot tell: the page itself reports that."""
    try:
        engines = sources.control().state().engines
    except ControlError:
        return
    if any(engine.emulated for engine in engines):
        st.warning(
            "**Emulated fleet.** These engines are a simulation: routing is real, timings are a model's.", icon=":material/science:"
        )
