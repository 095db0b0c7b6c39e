"""What is silenced: by whom, until when, and why; and an end to it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import amounts, notices, reader, sources
from dashboard.wording import plain
from stack.control.silence import Silence

ENDED_HERE = 10


def draw(*, may_silence: bool) -> None:
    """The table, and a way to end those that are ours."""
    st.subheader("Silences", anchor=False)
    with notices.told():
        found = sources.control().silences().silences
        if not found:
            st.caption("Nothing is silenced.")
            return
        st.dataframe(table(found), hide_index=True, key="silences", column_config={
            "until": st.column_config.DatetimeColumn("until", format="MMM D, HH:mm", help=f"Times are {reader.zone()}."),
            "silences": st.column_config.TextColumn("silences", help="Alerts whose labels fit all of this."),
            "may be ended here": st.column_config.TextColumn(
                "may be ended here", help="One that could hold back others' alerts than kvdeck's is ended in Alertmanager."
            ),
        })  # fmt: skip
        if may_silence:
            _end([silence for silence in found if silence.ours])


def table(silences: tuple[Silence, ...]) -> pd.DataFrame:
    """Silences as rows, the next to end first."""
    return pd.DataFrame(
        {
            "silences": silence.words,
            "by": silence.by or amounts.UNKNOWN,
            "until": reader.moment(silence.ends),
            "why": silence.comment,
            "state": silence.state.value,
            "may be ended here": "yes" if silence.ours else "no",
        }
        for silence in silences
    )


def _end(ours: list[Silence]) -> None:
    """A button each: what refreshes itself would close a list that somebody has just opened."""
    for silence in ours[:ENDED_HERE]:
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.button("End it now", key=f"silence-end-{silence.id}", icon=":material/notifications_active:")
            st.markdown(f"{plain(silence.words)}, by {plain(silence.by)}")
        if pressed:
            with notices.told():
                sources.control().end_silence(silence.id)
                st.rerun()
    if len(ours) > ENDED_HERE:
        st.caption(f"The {ENDED_HERE} that end next; `kvdeck ctl silence end ID` ends any.")
