"""The dashboard as it is served, with its doorman in front: `kvdeck dashboard` starts it."""

from __future__ import annotations

import os

import streamlit as st
from starlette.middleware import Middleware

from dashboard import pages  # what they import takes a second, which the first to come need not wait for
from dashboard.entrance import document
from dashboard.entrance.doorman import Doorman
from dashboard.entrance.house import base, house
from dashboard.settings import Settings

app = st.App(
    "app.py",
    routes=document.routes(["", *(page.path for page in pages.PAGES)], base()),
    middleware=[Middleware(Doorman, house=lambda: house(Settings.of(os.environ)))],
)
