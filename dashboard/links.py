"""Links from page to page that keep what the toolbar shows: range, refresh, model, namespace and cluster."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard.address import TO
from dashboard.scope import LINKED, USUAL


def query(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What stands after the `?` of a link: the toolbar's choices as this page's URL has them, and `more` of the other page's.

    What `more` says of what several pages have goes under a name of its own, which the toolbar heeds: Streamlit would go on with
    what is chosen now.
    """
    more = more or {}
    chosen = {name: st.query_params[name] for name in USUAL if name in st.query_params and name not in more}
    return chosen | {f"{TO}{name}" if name in LINKED else name: value for name, value in more.items()}


def page_link(
    path: str, label: str, more: Mapping[str, str] | None = None, *, icon: str | None = None, tip: str | None = None
) -> None:
    """A link to the page whose URL ends with `path`; what it says is Markdown."""
    # Streamlit knows a page by its path: this one is a name for it, and what it would draw is never asked.
    page = st.Page(_nowhere, title=path, url_path=path)
    st.page_link(page, label=label, icon=icon, help=tip, query_params=query(more), width="content")


def _nowhere() -> None: ...
