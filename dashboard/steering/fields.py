"""Every field: desired, applied, observed, and since when they differ."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import reader
from stack.api.field_tables import applied
from stack.api.schema import StateView
from stack.api.table import written
from stack.control.fields import FieldState

_HEIGHT = 430  # pixels


def fields(state: StateView) -> None:
    """Draw them, what differs first and in view."""
    differing = [field for field in state.fields if field.reason is not None]
    with st.expander("Field by field: desired, applied, observed", expanded=bool(differing)):
        st.dataframe(table(state.fields), hide_index=True, height=_HEIGHT, key="fields", column_config={
            "field": st.column_config.TextColumn("field", width=280),
            "desired": st.column_config.TextColumn("desired", width=130),
            "applied": st.column_config.TextColumn("applied", width=170),
            "observed": st.column_config.TextColumn("observed", width=270),
            "differs since": st.column_config.TextColumn("differs since", width=120),
            "why": st.column_config.TextColumn("why", width=380),
        })  # fmt: skip


def table(every: tuple[FieldState, ...]) -> pd.DataFrame:
    """The fields as rows, those that are not as desired first."""
    return pd.DataFrame([_row(field) for field in sorted(every, key=lambda field: (field.reason is None, field.field))])


def _row(field: FieldState) -> dict[str, str]:
    return {
        "field": field.field,
        "desired": written(field.desired),
        "applied": applied(field),
        "observed": field.observed or "",
        "differs since": "" if field.since is None else f"{reader.moment(field.since):%b %d, %H:%M:%S}",
        "why": field.reason or "",
    }
