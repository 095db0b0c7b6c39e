"""A session's first page: what can be read at once is shown before what a browser needs long to draw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

import streamlit as st

AHEAD_SECONDS = 0.35  # that a browser needs to show numbers, once their page runs

_KEY = "arriving"


@contextmanager
def arriving() -> Iterator[None]:
    """Around the page: until one was drawn to its end, the session arrives."""
    st.session_state.setdefault(_KEY, True)
    yield
    st.session_state[_KEY] = False


def shown_first() -> None:
    """What was drawn so far, whoever arrives is to see now.

    The first chart has the browser read megabytes of script, and until that is done it shows nothing of what came with it.
    """
    if st.session_state.get(_KEY):
        sleep(AHEAD_SECONDS)
