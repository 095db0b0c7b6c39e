"""The Streamlit app: navigation only. Run by `streamlit run dashboard/app.py`."""

from __future__ import annotations

import streamlit as st

from dashboard import emulation
from dashboard.views import control, overview, routing

st.set_page_config(page_title="kvdeck", page_icon=":material/stacks:", layout="wide")
emulation.banner()
st.navigation(
    [
        st.Page(overview.page, title="Overview", url_path="overview", icon=":material/monitoring:", default=True),
        st.Page(routing.page, title="Routing", url_path="routing", icon=":material/alt_route:"),
        st.Page(control.page, title="Control", url_path="control", icon=":material/tune:"),
    ]
).run()
