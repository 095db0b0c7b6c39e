"""The dashboard's sources: one Prometheus for all, one control client a session (it carries a token)."""

from __future__ import annotations

import os

import streamlit as st

from dashboard.promapi import PromApi
from dashboard.settings import Settings, SettingsError
from stack.adapters.trust import TrustError
from stack.api.client import ControlClient

ACTOR = "dashboard"


def settings() -> Settings:
    """The settings of this session. Raises SettingsError."""
    if "settings" not in st.session_state:
        st.session_state["settings"] = Settings.of(os.environ)
    value: Settings = st.session_state["settings"]
    return value


@st.cache_resource(show_spinner=False)
def _prometheus(url: str) -> PromApi:
    return PromApi(url)


def prometheus() -> PromApi:
    """Prometheus, shared by all sessions: it holds no secret of theirs. Raises SettingsError."""
    return _prometheus(settings().prometheus_url)


def control() -> ControlClient:
    """This session's own control client. Raises SettingsError."""
    if "control" not in st.session_state:
        own = settings()
        try:
            st.session_state["control"] = ControlClient(
                own.control_url, token=own.control_token, actor=ACTOR, authorities=own.control_authorities
            )
        except TrustError as error:
            raise SettingsError(f"KVDECK_CONTROL_CA_FILE: {error}") from error
    client: ControlClient = st.session_state["control"]
    return client
