"""The Overview's values on the page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dashboard import amounts, charts, links, panels, tiles
from dashboard.asking import Answers
from dashboard.overall.firing import CRITICAL, INFO, WARNING, Alarms
from dashboard.overall.looking import Seen
from dashboard.overall.questions import Asked
from dashboard.overall.served import Served
from dashboard.overall.tables import Column, Table
from dashboard.overall.verdict import Level, Verdict
from dashboard.panels import PLAIN
from dashboard.plots import Plot
from dashboard.wording import plain

_SHOWN = {
    Level.WELL: (st.success, ":material/check_circle:"),
    Level.WARNING: (st.warning, ":material/warning:"),
    Level.BAD: (st.error, ":material/error:"),
}
_LINKED = 12
_BESIDE = 2


def health(verdict: Verdict, alarms: Alarms) -> None:
    """One line, and the way to what it speaks of."""
    show, icon = _SHOWN[verdict.level]
    show(f"**{plain(verdict.headline)}** {plain(verdict.detail)}", icon=icon)
    with st.container(horizontal=True, gap="small"):
        firing = len(alarms.firing(CRITICAL, WARNING, INFO))
        words = f"Alerts: {firing} firing" if firing else "Alerts"
        links.page_link("alerts", words, icon=":material/notifications:", tip="What fires and is pending, and what to do about it.")
        links.page_link("engines", "Pools and engines", icon=":material/dns:", tip="Every engine with its role, state and load.")
        if verdict.level is not Level.WELL:
            links.page_link("doctor", "Doctor", icon=":material/stethoscope:", tip="Preconditions that fail silently.")


def numbers(seen: Seen, asked: Asked, answers: Answers) -> None:
    """What there is to say in numbers, and of several models a way to each."""
    tiles.draw(seen.figures(asked), lambda figure: panels.source(figure, answers))
    if len(seen.named) > 1:
        _narrower(seen.named)


def tables(several: Sequence[Table]) -> None:
    """The two of one model beside each other; of several models they are wide, and stand over each other."""
    if len(several) != _BESIDE:
        for each in several:
            _table(each)
        return
    for column, each in zip(st.columns([5, 4]), several, strict=True):
        with column:
            _table(each)


def _table(each: Table) -> None:
    """A table with its meaning, what is unknown said so."""
    st.markdown(f"**{each.title}**", help=each.help)
    columns = {column.title: _column(column) for column in each.columns}
    rows = [dict(zip(columns, row, strict=True)) for row in each.rows]
    st.dataframe(rows, column_config=columns, hide_index=True, placeholder=amounts.UNKNOWN, key=f"overview {each.title}")


def waterfall(plot: Plot, seen: Seen) -> None:
    """Over time, and as it stands."""
    if plot.figure is None:
        panels.drawn(plot)
        return
    over_time, now = st.columns([5, 2])
    with over_time:
        panels.drawn(plot)
    with now:
        shares = seen.shares
        if shares:
            alt = ", ".join(f"{source} {amounts.percent(share)}" for source, share in shares.items())
            st.plotly_chart(charts.shares(shares), key="shares", config=PLAIN, alt=f"Shares of the last 5 minutes: {alt}")
            st.caption("Share of the last 5 minutes")
        else:
            st.caption("No prompt arrived in the last 5 minutes.")


def plots(several: Sequence[Plot]) -> None:
    """Two beside each other."""
    for column, side in zip(st.columns(2), (several[::2], several[1::2]), strict=True):
        with column:
            for plot in side:
                panels.drawn(plot)


def _narrower(several: Sequence[Served]) -> None:
    names = list(dict.fromkeys(each.fleet.model for each in several))
    with st.container(horizontal=True, gap="small"):
        for name in names[:_LINKED]:
            links.page_link("overview", plain(name), {"model": name}, icon=":material/filter_alt:", tip="This model alone.")
        if len(names) > _LINKED:
            st.caption(f"and {len(names) - _LINKED} more, in the filter above")


def _column(column: Column) -> ColumnConfig:
    if not column.form:
        return st.column_config.TextColumn(column.title, help=column.help)
    return st.column_config.NumberColumn(column.title, help=column.help, format=column.form)
