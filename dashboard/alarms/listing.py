"""Each group of alerts: what it says, where it is, what to do about it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import amounts, links, notices, reader, sources, wording
from dashboard.alarms import silencing
from dashboard.alarms.groups import Group, telling
from dashboard.scope import PICKED
from stack.control.alert import Alert
from stack.control.alert_places import ENGINE, Page
from stack.metrics.family import Label

ROWS_MAX = 200
ICONS = {"critical": ":material/error:", "warning": ":material/warning:", "info": ":material/info:"}
_COLOURS = {"critical": "red", "warning": "orange", "info": "blue"}
_RUNBOOKS = "runbooks read"


def draw(groups: list[Group], *, at: float, by_control: bool, may_silence: bool) -> None:
    """Folded up, the most urgent first. What is folded up asks for nothing; the URL holds what is unfolded."""
    for group in groups:
        panel = st.expander(
            _heading(group, at),
            key=f"alerts-open-{group.name}-{group.severity or 'none'}",
            icon=ICONS.get(group.severity or "", ":material/help:"),
            bind="query-params",
        )
        if panel.open:
            with panel:
                _inside(group, by_control, may_silence)


def _heading(group: Group, at: float) -> str:
    colour = _COLOURS.get(group.severity or "", "gray")
    since = "" if group.since is None else f" for {amounts.age(at - group.since)}"
    first = group.alerts[0]
    others = "" if len(group.alerts) == 1 else f" (and {len(group.alerts) - 1} more)"
    said = "" if first.summary is None else f": {wording.plain(first.summary)}{others}"
    severity, name = wording.plain(group.severity or "no severity"), wording.plain(group.name)
    return f":{colour}-badge[{severity}] **{name}** {group.counts}{since}{said}"


def _inside(group: Group, by_control: bool, may_silence: bool) -> None:
    first = group.alerts[0]
    if first.description is not None:
        st.markdown(wording.plain(first.description))
    key = f"alerts of {group.name} {group.severity}"
    st.dataframe(table(group), hide_index=True, placeholder=amounts.UNKNOWN, key=key, column_config={
        "since": st.column_config.DatetimeColumn("since", format="MMM D, HH:mm:ss", help=f"Times are {reader.zone()}."),
        "where": st.column_config.TextColumn("where", help="The labels that tell it from the others of its name."),
        "what": st.column_config.TextColumn("what", help="As its rule says it; not known where only Prometheus tells of it."),
        "held back": st.column_config.TextColumn("held back", help="Why nobody is told of it, and until when."),
    })  # fmt: skip
    if len(group.alerts) > ROWS_MAX:
        st.caption(f"The first {ROWS_MAX} of {len(group.alerts)}.")
    if group.common:
        whose = "Its labels: " if len(group.alerts) == 1 else "All of them: "
        st.caption(whose + ", ".join(wording.code(f"{name}={value}") for name, value in sorted(group.common.items())))
    with st.container(horizontal=True, vertical_alignment="center"):
        _jump(group)
        if may_silence:
            silencing.offer(group)
    if by_control and first.runbook is not None:
        _runbook(first.runbook)
    else:
        st.caption(f"What to do is in {wording.code(f'alerts/runbooks/{group.name}.md')}.")


def _jump(group: Group) -> None:
    shown = group.shown_on
    if shown is None:
        return
    page, filters = shown
    narrowed = {key(page, label): value for label, value in filters.items()}
    title = {Page.DPD: "DPD", Page.ENGINES: "Pools and engines"}.get(page, page.value.title())
    links.page_link(page.value, f"See it on {title}", narrowed, icon=":material/arrow_forward:")


def key(page: Page, label: str) -> str:
    """What the URL of `page` calls what it is narrowed to by `label`."""
    return f"{page.value}-engine" if label == ENGINE else PICKED[Label(label)]


def _runbook(name: str) -> None:
    kept: dict[str, str] = st.session_state.setdefault(_RUNBOOKS, {})
    with notices.told():
        if name not in kept:
            kept[name] = sources.control().runbook(name)
        with st.container(border=True):
            st.markdown(f"**What to do: {wording.plain(name)}**")
            st.markdown(wording.page(kept[name]))


def table(group: Group) -> pd.DataFrame:
    """The alerts of a group as rows; what is not known is no value."""
    return pd.DataFrame([_row(alert, tuple(group.common)) for alert in group.alerts[:ROWS_MAX]])


def _row(alert: Alert, common: tuple[str, ...]) -> dict[str, object]:
    return {
        "state": alert.state.value,
        "since": None if alert.since is None else reader.moment(alert.since),
        "where": telling(alert.labels, common),
        "what": alert.summary,
        "held back": "; ".join(_held_back(alert)),
    }


def _held_back(alert: Alert) -> list[str]:
    told = []
    for silence in alert.silenced_by:
        until = "" if silence.until is None else f" until {reader.moment(silence.until):%b %d, %H:%M}"
        told.append(f"silenced by {silence.by or amounts.UNKNOWN}{until}: {silence.comment or 'no reason given'}")
    if alert.inhibited_by:
        told.append(f"follows from {', '.join(alert.inhibited_by)}")
    if alert.undelivered:
        told.append("Alertmanager has not heard of it: nobody is told")
    return told
