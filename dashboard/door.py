"""Who is in: name and role beside every page's title, and the way out; and why nobody is let in."""

from __future__ import annotations

import streamlit as st

from dashboard import notices, sources
from dashboard.entrance import house, rule
from dashboard.settings import SettingsError
from dashboard.wording import plain
from stack.api.answers import ControlUnreachableError
from stack.api.self_schema import SelfView
from stack.control.access import Role

_CHANGES = "Changes whatever can be changed; the audit log tells it under this name."
_MAY = {
    Role.VIEWER: "Looks at everything and changes nothing.",
    Role.OPERATOR: _CHANGES,
    Role.ADMIN: _CHANGES,
    Role.ROUTER: "A machine's: it looks and reports.",
}


def guard() -> None:
    """Show why, and nothing else, where nobody is to be let in, however the app was started."""
    try:
        if (reason := _reason()) is None:
            return
    except SettingsError as error:
        reason = f"The dashboard's settings: {error}"
    st.error(plain(reason), icon=":material/lock:")
    st.stop()


def _reason() -> str | None:
    own = sources.settings()
    if own.sign_in:
        missing = house.visitor() is None
        return f"Nobody is signed in. {rule.START}" if missing else None
    if (reason := rule.shut(st.get_option("server.address"), None, sign_in=False)) is not None:
        return reason
    host = st.context.headers.get("Host")  # without one no browser looks
    return None if host is None else rule.stranger(host, tuple(st.get_option("server.allowedHosts") or ()))


def badge() -> None:
    """Who is signed in, with the way out; and small, where this person can only look, or control is away."""
    with notices.quiet():
        try:
            person = sources.who()
        except ControlUnreachableError:  # a page whose numbers are all of Prometheus says it nowhere else
            st.badge("Control does not answer", icon=notices.AWAY, color="red")
            return
        if not sources.may_change():
            st.badge("look only", icon=":material/visibility:", color="gray")
        if person is not None and person.tokens:
            _card(person)


def _card(person: SelfView) -> None:
    with st.popover(
        f"{plain(person.name)}, {person.role}", icon=":material/person:", help="Who is signed in, and what they may do"
    ):
        st.caption(_MAY[person.role])
        if sources.settings().sign_in:
            st.button("Sign out", icon=":material/logout:", key="sign out", on_click=house.sign_out)
