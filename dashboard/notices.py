"""What a page says when a source is down or a number cannot be had: never a stack trace, never a zero."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType

import streamlit as st

from dashboard import amounts
from dashboard.promapi import PrometheusUnavailableError
from dashboard.settings import SettingsError
from dashboard.sources import NoControlError
from dashboard.wording import code, plain
from stack.api.answers import ControlAnswerError, ControlError, ControlUnreachableError, StaleError, UnauthorizedError
from stack.api.schema import StateView
from stack.api.self_schema import SelfView
from stack.control.access import Role
from stack.control.mode import Mode

AWAY = ":material/cloud_off:"
REFUSED = ":material/block:"


class told:  # reads as a word: `with notices.told():`
    """Run a part of a page; a source that fails is named on the page and the rest goes on."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        match error:
            case PrometheusUnavailableError():
                st.error(
                    f"{plain(str(error))}. Its numbers are unknown until it answers; `kvdeck status` tells its state.", icon=AWAY
                )
            case ControlUnreachableError():
                st.error(
                    f"{plain(unreachable(error))} The fleet serves on as last configured; nothing can be changed meanwhile.",
                    icon=AWAY,
                )
            case UnauthorizedError():
                st.error(f"Control refused the token: {plain(error.message)}.", icon=":material/lock:")
            case StaleError():
                st.warning("Somebody else changed the state since this page read it: preview your change again.")
            case ControlAnswerError():
                st.error(refusal(error), icon=REFUSED)
            case NoControlError():
                text = "This needs kvdeck's control, which this dashboard was not told of: it watches Prometheus alone."
                st.info(f"{text} `KVDECK_CONTROL_URL` names one.", icon=":material/link_off:")
            case SettingsError():
                st.error(f"The dashboard's settings: {plain(str(error))}", icon=":material/settings_alert:")
            case _:
                return False
        return True


def quiet() -> suppress:
    """Run what is left out where a source is away, since the page says that anyhow."""
    return suppress(PrometheusUnavailableError, ControlError, NoControlError, SettingsError)


def mode(state: StateView) -> None:
    """Say it where control takes no changes: what can be done here is to look, and to preview."""
    match state.mode:
        case Mode.OBSERVE:
            st.info("Control only observes: nothing can be changed here, previews work.", icon=":material/visibility:")
        case Mode.DECLARATIVE:
            text = f"What is desired is in {code(state.desired_file or amounts.UNKNOWN)}, and changed there. Previews work here."
            st.info(text, icon=":material/description:")
        case Mode.LIVE:
            pass


def role(person: SelfView | None, what: str) -> None:
    """Say whose token does not include `what`, or that control does not tell."""
    if person is None:
        text = "This control is of an older release and does not tell what your token may: previews are open to you"
        st.info(f"{text}, and whether you may {what} it says when it is asked.", icon=":material/help:")
    elif not person.role.may(Role.OPERATOR):
        text = f"{plain(person.name)} is a {person.role} and looks only: an operator may {what}."
        st.info(text, icon=":material/visibility:")


def looking(what: str) -> None:
    """Say in small, where `what` would be done, that this person's token does not include it."""
    st.caption(f"You may look: {what} takes a token with the role operator.")


def experiments(state: StateView) -> None:
    """Say where not every session goes by what is desired."""
    for model, name in sorted(state.experiments.items()):
        how = f"*Experiments* below tell how {plain(name)} goes; any change of the model ends it."
        st.info(f"A share of the sessions of {code(model)} tries a change. {how}", icon=":material/science:")


def refusal(error: ControlAnswerError) -> str:
    """Field and reason of what control said no to, in Markdown."""
    where = f" ({code(error.field)})" if error.field else ""
    return f"Refused{where}: {plain(error.message)}"


def unreachable(error: ControlUnreachableError) -> str:
    """Where control was looked for, as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
