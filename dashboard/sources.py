"""The dashboard's sources: one Prometheus for all, one control client a session (it carries a token)."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from dashboard.promapi import PromApi
from dashboard.settings import Settings, SettingsError
from stack.adapters.trust import TrustError
from stack.api.experiment_client import ExperimentClient
from stack.api.schema import StateView
from stack.control.audit import AuditRecord
from stack.control.mode import Mode

ACTOR = "dashboard"
_FRESH_SECONDS = 2.0  # parts of a page that are drawn together see one state
AUDIT_RECORDS = 100

T = TypeVar("T")


class NoControlError(RuntimeError):
    """No control is configured: the dashboard was started to watch Prometheus alone."""


@dataclass(frozen=True, slots=True)
class _Read(Generic[T]):
    value: T
    at: float


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


def control() -> ExperimentClient:
    """This session's own control client. Raises SettingsError, NoControlError."""
    if "control" not in st.session_state:
        own = settings()
        if own.control_url is None:
            raise NoControlError
        try:
            st.session_state["control"] = ExperimentClient(
                own.control_url, token=own.control_token, actor=ACTOR, authorities=own.control_authorities
            )
        except TrustError as error:
            raise SettingsError(f"KVDECK_CONTROL_CA_FILE: {error}") from error
    client: ExperimentClient = st.session_state["control"]
    return client


def state() -> StateView:
    """What control said last to this session, at most two seconds ago. Raises as `control` does, and ControlError."""
    read: _Read[StateView] | None = st.session_state.get("state read")
    if read is None or time.monotonic() - read.at > _FRESH_SECONDS:
        read = _Read(control().state(), time.monotonic())
        st.session_state["state read"] = read
    return read.value


def audit() -> Sequence[AuditRecord]:
    """The newest records of who changed what, at most two seconds old. Raises as `state` does."""
    read: _Read[Sequence[AuditRecord]] | None = st.session_state.get("audit read")
    if read is None or time.monotonic() - read.at > _FRESH_SECONDS:
        read = _Read(control().audit(limit=AUDIT_RECORDS).records, time.monotonic())
        st.session_state["audit read"] = read
    return read.value


def forget() -> None:
    """After a change: what was read before is no longer so."""
    for kept in ("state read", "audit read"):
        st.session_state.pop(kept, None)


def may_change() -> bool:
    """Whether this person's changes would be taken, by control's mode and their role. Raises as `state` does."""
    return state().mode is Mode.LIVE
