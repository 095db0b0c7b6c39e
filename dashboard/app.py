"""The Streamlit app: navigation only. Run by `streamlit run dashboard/app.py`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import emulation
from dashboard.views import control, overview, routing

# A file of our own: Streamlit would have the browser fetch a named icon from the internet.
st.set_page_config(page_title="kvdeck", page_icon=str(Path(__file__).with_name("favicon.svg")), layout="wide")
page = st.navigation(
    [
        st.Page(overview.page, title="Overview", icon=":material/monitoring:", default=True),
        # The default page is at / alone; who types the page's name gets it too.
        st.Page(overview.page, title="Overview", url_path="overview", icon=":material/monitoring:", visibility="hidden"),
        st.Page(routing.page, title="Routing", url_path="routing", icon=":material/alt_route:"),
        st.Page(control.page, title="Control", url_path="control", icon=":material/tune:"),
    ],
    position="top",
)
emulation.banner()
page.run()
