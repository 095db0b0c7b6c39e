"""Emulated fleets are marked on every page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import ParamSpec

import streamlit as st

from dashboard import asking, reader, sources
from dashboard.asking import Now
from dashboard.promapi import PrometheusUnavailableError
from dashboard.settings import SettingsError
from dashboard.sources import NoControlError
from stack.api.answers import ControlError
from stack.metrics import fleet_queries
from stack.metrics.family import Label

P = ParamSpec("P")

_KEY = "emulated"
_LOOKED_AT = timedelta(minutes=1)


def banner() -> None:
    """Mark the page when any engine is emulated; a fleet that was stays marked while nobody can say otherwise."""
    said = _emulated()
    marked = st.session_state[_KEY] = bool(st.session_state.get(_KEY)) if said is None else said
    if marked:
        st.markdown(
            ":orange-badge[:material/science: Emulated fleet] "
            "These engines are simulated: the routing is real, their timings are a model's."
        )


def watched(part: Callable[P, None]) -> Callable[P, None]:
    """`part` of a page, which whenever it is drawn anew looks whether the page's mark still says what is so.

    With a timer of its own the mark would have every page refreshed twice.
    """

    @wraps(part)
    def draw(*args: P.args, **kwargs: P.kwargs) -> None:
        part(*args, **kwargs)  # first: it may have better to do than to wait for control
        if _KEY in st.session_state and _emulated() not in (None, st.session_state[_KEY]):
            st.rerun()

    return draw


def _emulated() -> bool | None:
    """What control says, else what the exporter last said of its targets; None when neither answers: the page tells that."""
    try:
        engines = sources.state().engines
        if engines:
            return any(engine.emulated for engine in engines)
    except (ControlError, NoControlError, SettingsError):
        pass  # Prometheus may still know
    try:
        kinds = asking.ask({"kinds": Now(fleet_queries.kinds())}, reader.span(_LOOKED_AT)).samples("kinds")
    except (PrometheusUnavailableError, SettingsError):
        return None
    return any(kind.labels.get(Label.EMULATED) == "true" for kind in kinds) if kinds else None
