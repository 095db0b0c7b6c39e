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


def carry(title: str, usual: Mapping[str, str]) -> None:
    """Take along what was picked on the page before: to Streamlit the same widget of another page is another one.

    It does so itself, but not after a part of the page before was refreshed, nor for who goes back in the browser. `usual` has
    every name, and the choice that no link need hold.
    """
    if st.session_state.setdefault(_DRAWN, title) == title:
        return
    run = get_script_run_ctx()
    if run is not None and run.is_history_navigation:
        st.rerun()  # in such a run Streamlit takes the usual choices and heeds no others
    st.session_state[_DRAWN] = title
    chosen = {name: value for name in usual if (value := st.session_state.get(name)) is not None}
    for name, value in chosen.items():
        st.session_state[name] = value
    if told := {name: value for name, value in chosen.items() if value != usual[name]}:
        with suppress(StreamlitAPIException):  # one that the page before did not write to its link is still that page's
            st.query_params.update(told)


def heed(linked: tuple[str, ...]) -> None:
    """Choose what the link says, before anything is drawn that holds what was chosen until now."""
    for name in linked:
        if (value := st.query_params.get(f"{TO}{name}")) is not None:
            st.session_state[name] = value
            del st.query_params[f"{TO}{name}"]
