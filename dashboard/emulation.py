"""Emulated fleets are marked on every page."""

from __future__ import annotations

import streamlit as st

from dashboard import sources
from dashboard.promapi import PrometheusUnavailableError
from dashboard.settings import SettingsError
from dashboard.sources import NoControlError
from stack.api.answers import ControlError
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import selector

_KEY = "emulated"


@st.fragment(run_every=5)
def banner() -> None:
    """Mark the page when any engine is emulated; a fleet that was stays marked while nobody can say otherwise."""
    if (said := _emulated()) is not None:
        st.session_state[_KEY] = said
    if st.session_state.get(_KEY):
        st.markdown(
            ":orange-badge[:material/science: Emulated fleet] "
            "These engines are simulated: the routing is real, their timings are a model's."
        )


def _emulated() -> bool | None:
    """What control says, else what the exporter last said of its targets; None when neither answers: the page tells that."""
    try:
        engines = sources.state().engines
        if engines:
            return any(engine.emulated for engine in engines)
    except (ControlError, NoControlError, SettingsError):
        pass  # Prometheus may still know
    try:
        infos = sources.prometheus().instant(selector(catalog.TARGET_INFO))
    except (PrometheusUnavailableError, SettingsError):
        return None
    return any(info.labels.get(Label.EMULATED) == "true" for info in infos) if infos else None
