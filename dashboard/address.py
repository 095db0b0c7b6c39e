"""What comes to a page with its address: what was picked on the page before, and what the link chose that was followed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

TO = "to-"
"""Before the name of what a link within the dashboard chooses."""
_DRAWN = "page drawn"
_ONCE: Mapping[str, Mapping[str, str]] = {
    "DPD": {"threshold": "dpd-threshold", "uncached": "dpd-uncached", "link": "dpd-link", "buffer": "dpd-buffer"},
    "Routing": {"request": "routing-request", "engine": "routing-engine", "decisions-": "routing-"},
    "Pools and engines": {"engine": "engines-engine"},
    "Alerts": {"alert-": "alerts-open-"},
    "Doctor": {"doctor-pass": "doctor-checks-pass", "doctor-not_applicable": "doctor-checks-not_applicable"},
}
"""What links once called the choices of a page, by its title: they go on working. A name that ends with a dash begins many."""


def carry(title: str, usual: Mapping[str, str]) -> None:
    """Take along what was picked on the page before: to Streamlit the same widget of another page is another one.

    It does so itself, but not after a part of the page before was refreshed, nor for who goes back in the browser; and what a page
    was told that is broken off before its end, its browser may never hear of. `usual` has every name, and the choice that no link
    need hold.
    """
    if st.session_state.get(_DRAWN) == title:
        return
    run = get_script_run_ctx()
    if run is not None and run.is_history_navigation:
        st.rerun()  # in such a run Streamlit takes the usual choices and heeds no others
    st.session_state[_DRAWN] = None
    chosen = {name: value for name in usual if (value := st.session_state.get(name)) is not None}
    for name, value in chosen.items():
        st.session_state[name] = value
    if told := {name: value for name, value in chosen.items() if value != usual[name]}:
        with suppress(StreamlitAPIException):  # one that the page before did not write to its link is still that page's
            st.query_params.update(told)


def drawing() -> bool:
    """Whether this page has not been drawn to its end yet: what its fields were filled with, its browser need not know."""
    return st.session_state.get(_DRAWN) is None


def drawn(title: str) -> None:
    """The page is drawn to its end."""
    st.session_state[_DRAWN] = title


def heed(title: str, linked: tuple[str, ...]) -> None:
    """Choose what the link says, before anything is drawn that holds what was chosen until now."""
    if renamed := {name: now for name in st.query_params if (now := _now(title, name)) is not None}:
        st.query_params.from_dict({renamed.get(name, name): st.query_params.get_all(name) for name in st.query_params})
        st.rerun()  # and the widgets find it there
    for name in linked:
        if (value := st.query_params.get(f"{TO}{name}")) is not None:
            st.session_state[name] = value
            del st.query_params[f"{TO}{name}"]


def _now(title: str, name: str) -> str | None:
    """What `name` is called now, None where that is its name."""
    for once, now in _ONCE.get(title, {}).items():
        if name == once or (once.endswith("-") and name.startswith(once)):
            return now + name.removeprefix(once)
    return None
