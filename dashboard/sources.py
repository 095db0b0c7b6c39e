"""The dashboard's sources: one Prometheus for all, one control client a session (it carries a token)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import streamlit as st

from dashboard.control_client import PageClient
from dashboard.entrance import house
from dashboard.entrance.sessions import SignedIn
from dashboard.promapi import PromApi
from dashboard.settings import Settings, SettingsError
from stack.adapters.http_access import Access
from stack.adapters.http_config import HttpConfigError, read_http_config
from stack.adapters.trust import TrustError
from stack.api.alert_schema import AlertsView
from stack.api.answers import ControlAnswerError, UnauthorizedError
from stack.api.experiment_client import ExperimentClient
from stack.api.history_schema import GenerationView
from stack.api.schema import StateView
from stack.api.self_schema import SelfView
from stack.control.access import Role
from stack.control.audit import AuditRecord
from stack.control.mode import Mode

_FRESH_SECONDS = 2.0  # parts of a page that are drawn together see one state
_WHO_SECONDS = 5.0
AUDIT_RECORDS = 100
GENERATIONS = 100
TAKEN_BACK = 401  # 403 is a role that does not include what was asked
_NOT_FOUND = 404

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
def _prometheus(url: str, config: Path | None) -> PromApi:
    return PromApi(url, Access(read_http_config(config)))


def prometheus() -> PromApi:
    """Prometheus, shared by all sessions: it holds no secret of theirs. Raises SettingsError."""
    own = settings()
    try:
        return _prometheus(own.prometheus_url, own.prometheus_config)
    except HttpConfigError as error:
        raise SettingsError(f"KVDECK_PROMETHEUS_CONFIG: {error}") from error


def control() -> ExperimentClient:
    """Control with the token of whoever looks at this page. Raises SettingsError, NoControlError."""
    own = settings()
    if own.control_url is None:
        raise NoControlError
    if own.sign_in:
        return _signed_in().client
    if "control" not in st.session_state:
        try:
            st.session_state["control"] = PageClient(
                own.control_url, token=own.control_token, actor=house.ACTOR, authorities=own.control_authorities
            )
        except TrustError as error:
            raise SettingsError(f"KVDECK_CONTROL_CA_FILE: {error}") from error
    client: ExperimentClient = st.session_state["control"]
    return client


def _signed_in() -> SignedIn:
    """Raises SettingsError. What one person read is never another's, should a page's session go from one to the other."""
    visitor = house.visitor()
    if visitor is None:
        raise SettingsError("nobody is signed in any more: load the page anew")
    if st.session_state.setdefault("signed in", visitor) is not visitor:
        st.session_state.clear()
        st.session_state["signed in"] = visitor
    return visitor


def _told(read: Callable[[ExperimentClient], T]) -> T:
    """What control answers; a token that was taken back ends the sign-in. Raises as `control` does, and ControlError."""
    try:
        return read(control())
    except UnauthorizedError as error:
        if error.status == TAKEN_BACK and settings().sign_in:
            house.sign_out()
        raise


def _kept(name: str, seconds: float, read: Callable[[ExperimentClient], T]) -> T:
    """What control said to this session at most `seconds` ago, else what it says now."""
    control()  # first: it tells whose session this is
    kept: _Read[T] | None = st.session_state.get(name)
    if kept is None or time.monotonic() - kept.at > seconds:
        kept = st.session_state[name] = _Read(_told(read), time.monotonic())
    return kept.value


def state() -> StateView:
    """What control said last to this session, at most two seconds ago. Raises as `control` does, and ControlError."""
    return _kept("state read", _FRESH_SECONDS, lambda control: control.state())


def who() -> SelfView | None:
    """Who looks, by the token that control is asked with, at most five seconds old. Raises as `state` does.

    None where control is of an older release, which tells nobody: whether it takes a change is seen when it is asked.
    """
    return _kept("who read", _WHO_SECONDS, _person)


def _person(control: ExperimentClient) -> SelfView | None:
    try:
        return control.myself()
    except ControlAnswerError as error:
        if error.status != _NOT_FOUND:
            raise
        return None


def audit() -> Sequence[AuditRecord]:
    """The newest records of who changed what, at most two seconds old. Raises as `state` does."""
    return _kept("audit read", _FRESH_SECONDS, lambda control: control.audit(limit=AUDIT_RECORDS).records)


def generations() -> Sequence[GenerationView]:
    """The newest generations with who changed what for them, at most two seconds old. Raises as `state` does."""
    return _kept("generations read", _FRESH_SECONDS, lambda control: control.generations(limit=GENERATIONS).generations)


def alerts() -> AlertsView:
    """The alerts that control knows of, at most two seconds old. Raises as `state` does."""
    return _kept("alerts read", _FRESH_SECONDS, lambda control: control.alerts())


def forget() -> None:
    """After a change: what was read before is no longer so."""
    for kept in ("state read", "audit read", "generations read", "alerts read"):
        st.session_state.pop(kept, None)


def may_operate() -> bool:
    """Whether this person's role includes changes, as far as is known. Raises as `state` does."""
    person = who()
    return person is None or person.role.may(Role.OPERATOR)


def may_change() -> bool:
    """Whether this person's changes would be taken, by control's mode and their role. Raises as `state` does."""
    return may_operate() and state().mode is Mode.LIVE
