"""What the doorman goes by: the settings, and how Streamlit was started."""

from __future__ import annotations

import time

import streamlit as st

from dashboard.entrance.checking import clients
from dashboard.entrance.doorman import House
from dashboard.entrance.sessions import Sessions, SignedIn
from dashboard.settings import Settings, SettingsError

ACTOR = "dashboard"  # whom the audit log names where control has no tokens


@st.cache_resource(show_spinner=False)
def sessions() -> Sessions:
    """Who is signed in, for the doorman and for pages."""
    return Sessions(time.monotonic)


def cookie() -> str:
    """The name of the cookie: a machine's browser tells its dashboards apart by nothing but this."""
    return f"kvdeck_{st.get_option('server.port')}"


def visitor() -> SignedIn | None:
    """Whose page this is; None where nobody is signed in."""
    return sessions().find(_key(), asked=False)


def sign_out() -> None:
    """End the sign-in of whoever looks at this page, in all its tabs."""
    sessions().end(_key())


def _key() -> str:
    return str(st.context.cookies.get(cookie(), ""))


def base() -> str:
    """The path prefix under which the dashboard is, from slash to slash."""
    prefix = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{prefix}/" if prefix else "/"


def house(settings: Settings) -> House:
    """As told. Raises SettingsError."""
    if settings.sign_in and settings.control_url is None:
        raise SettingsError("KVDECK_SIGN_IN: it is control that knows people's tokens, and KVDECK_CONTROL_URL names none")
    client = None
    if settings.sign_in and settings.control_url:
        client = clients(settings.control_url, settings.control_authorities, ACTOR)
    return House(
        sessions=sessions(),
        client=client,
        base=base(),
        listening=st.get_option("server.address"),
        cookie=cookie(),
        allowed=tuple(st.get_option("server.allowedHosts") or ()),
    )
