"""The pages, in the order of the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.views import alerts, cache, control, doctor, dpd, engines, overview, routing


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `path` is the URL's, and stays: links are kept."""

    title: str
    path: str
    icon: str
    draw: Callable[[], None]


PAGES = (
    Page("Overview", "overview", ":material/monitoring:", overview.page),
    Page("Cache", "cache", ":material/layers:", cache.page),
    Page("DPD", "dpd", ":material/call_split:", dpd.page),
    Page("Routing", "routing", ":material/alt_route:", routing.page),
    Page("Pools and engines", "engines", ":material/dns:", engines.page),
    Page("Control", "control", ":material/tune:", control.page),
    Page("Alerts", "alerts", ":material/notifications:", alerts.page),
    Page("Doctor", "doctor", ":material/stethoscope:", doctor.page),
)


def listed() -> Iterator[StreamlitPage]:
    """The pages as Streamlit knows them. The first is at / alone; who types its name gets it, too."""
    first = PAGES[0]
    yield st.Page(first.draw, title=first.title, icon=first.icon, default=True)
    yield st.Page(first.draw, title=first.title, url_path=first.path, icon=first.icon, visibility="hidden")
    for page in PAGES[1:]:
        yield st.Page(page.draw, title=page.title, url_path=page.path, icon=page.icon)
