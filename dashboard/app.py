"""The Streamlit app: navigation only. `serve.py` puts a doorman in front of it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import address, arrival, door, emulation, pages

# A file of our own: Streamlit would have the browser fetch a named icon from the internet.
st.set_page_config(page_title="kvdeck", page_icon=str(Path(__file__).with_name("favicon.svg")), layout="wide")
door.guard()
page = st.navigation(list(pages.listed()), position="top")
emulation.banner()
with arrival.arriving():
    page.run()
address.drawn(page.title)
