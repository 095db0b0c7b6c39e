"""Alerts: what fires and what is pending, what to do about it, and what is silenced."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from dashboard import amounts, notices, reader, sources, tiles
from dashboard.alarms import listing, silences, silencing
from dashboard.alarms.groups import grouped
from dashboard.alarms.known import Known, known, within
from dashboard.figures import Figure
from dashboard.scope import Scope, toolbar
from dashboard.wording import plain
from stack.control.alert import Alert, AlertState

SEVERITIES = ("critical", "warning", "info")
_MEANT = {
    AlertState.FIRING: "Their conditions have held as long as their rules ask, and people are told.",
    AlertState.PENDING: "Their conditions hold, and not yet as long as their rules ask.",
    AlertState.SILENCED: "They fire, and somebody said that nobody is to be told of them.",
    AlertState.INHIBITED: "They fire, and follow from another one that does: nobody is told of them.",
}


def page() -> None:
    """Draw the page."""
    scope = toolbar("Alerts")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        severities = st.pills("Severity", SEVERITIES, selection_mode="multi", key="alerts-severity", bind="query-params")
        states = st.pills(
            "State", [state.value for state in AlertState], selection_mode="multi", key="alerts-state", bind="query-params"
        )
    silencing.panel()
    scope.live(_live, scope, frozenset(severities), frozenset(states))


def _live(scope: Scope, severities: frozenset[str], states: frozenset[str]) -> None:
    with notices.told():
        sources.forget()  # who has just silenced one sees it
        now = known(scope.until)
        may_silence = now.silences and sources.may_operate()
        for doubt in now.doubts:
            st.warning(plain(doubt), icon=":material/help:")
        found = within(now.alerts, scope)
        source = "control" if now.by_control else "Prometheus"
        at = f"{reader.moment(now.at):%b %d, %H:%M:%S} ({reader.zone()})"
        tiles.draw(_figures(found, now), lambda _: f"From {source}, as of {at}.")
        shown = [one for one in found if (not severities or one.severity in severities) and (not states or one.state in states)]
        if shown:
            listing.draw(grouped(shown), at=now.at, by_control=now.by_control, may_silence=may_silence)
        else:
            _nothing(now, len(now.alerts))
        if now.silences:
            silences.draw(may_silence=may_silence)
            if not may_silence:
                notices.looking("silencing")
        st.caption(f"As of {at}, from {source}.")


def _figures(found: list[Alert], now: Known) -> Iterator[Figure]:
    for state, meaning in _MEANT.items():
        of_state = [alert for alert in found if alert.state is state]
        critical = sum(alert.severity == "critical" for alert in of_state)
        value = str(len(of_state)) if _is_known(state, now) else amounts.UNKNOWN
        beside = f"{critical} critical" if critical else None
        yield Figure(state.value.title(), value, f"Alerts. {meaning}", beside)


def _is_known(state: AlertState, now: Known) -> bool:
    match state:
        case AlertState.PENDING:
            return now.pending
        case AlertState.SILENCED | AlertState.INHIBITED:
            return now.silences
        case AlertState.FIRING:
            return True


def _nothing(now: Known, hidden: int) -> None:
    if hidden:
        st.info(f"None of the {hidden} alerts there are fits what is chosen above.", icon=":material/filter_alt:")
    elif now.whole:
        st.success("Nothing fires, and nothing is pending.", icon=":material/check_circle:")
    elif now.by_control:
        st.info("Of what is known nothing fires.")
    else:
        text = "Prometheus tells of no alert. Whether it has kvdeck's rules at all, `kvdeck doctor` says."
        st.info(text, icon=":material/help:")
