"""The audit log as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import notices, reader, sources
from dashboard.steering.review import sentence
from stack.control.audit import AuditRecord

RECORDS = 100
_WRAPPED = 84  # pixels of a row: Streamlit wraps cells in rows of more than 64


@st.fragment(run_every=5)
def history() -> None:
    """Draw who changed what, newest first, and what control did about it."""
    with st.expander("History: who changed what, and why"), notices.told():
        records = sources.control().audit(limit=RECORDS).records
        st.dataframe(table(records), hide_index=True, key="history", row_height=_WRAPPED, column_config={
            "at": st.column_config.DatetimeColumn("at", format="MMM D, HH:mm:ss", width=120),
            "generation": st.column_config.TextColumn("generation", width=80),
            "who": st.column_config.TextColumn("who", width=90),
            "outcome": st.column_config.TextColumn("outcome", width=80),
            "what": st.column_config.TextColumn("what", width=330),
            "why": st.column_config.TextColumn("why", width=210),
            "effects": st.column_config.TextColumn("effects", width=300),
        })  # fmt: skip


def table(records: tuple[AuditRecord, ...]) -> pd.DataFrame:
    """Audit records as rows."""
    return pd.DataFrame([_row(record) for record in records])


def _row(record: AuditRecord) -> dict[str, object]:
    return {
        "at": reader.moment(record.at),
        "generation": str(record.generation),
        "who": record.actor,
        "outcome": record.outcome.value,
        "what": sentence(record.diff) or "; ".join(record.effects) or record.field or "",
        "why": "; ".join(filter(None, [_back(record), record.comment, record.error])),
        "effects": "; ".join(record.effects) if record.diff else "",
    }


def _back(record: AuditRecord) -> str | None:
    return None if record.rolled_back_to is None else f"back to generation {record.rolled_back_to}"
