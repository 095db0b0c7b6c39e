"""Links from page to page that keep what the toolbar shows: range, refresh, model, namespace and cluster."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard.scope import KEPT


def query(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What stands after the `?` of a link: the toolbar's choices as this page's URL has them, and `more` of the other page's."""
    return {name: st.query_params[name] for name in KEPT if name in st.query_params} | dict(more or {})


def page_link(
    path: str, label: str, more: Mapping[str, str] | None = None, *, icon: str | None = None, tip: str | None = None
) -> None:
    """A link to the page whose URL ends with `path`; what it says is Markdown."""
    # Streamlit knows a page by its path: this one is a name for it, and what it would draw is never asked.
    page = st.Page(_nowhere, title=path, url_path=path)
    st.page_link(page, label=label, icon=icon, help=tip, query_params=query(more), width="content")


def _nowhere() -> None: ...
