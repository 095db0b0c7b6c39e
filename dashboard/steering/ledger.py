"""The audit log as rows: who changed what and why, the same wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import reader
from dashboard.steering.review import sentence
from stack.control.audit import AuditRecord

COLUMNS: Mapping[str, Any] = {
    "at": st.column_config.DatetimeColumn("at", format="MMM D, HH:mm:ss", width=125, help="In the reader's own time."),
    "generation": st.column_config.TextColumn("generation", width=80, help="The one in force afterwards."),
    "who": st.column_config.TextColumn("who", width=90, help="By their token, or what they called themselves."),
    "outcome": st.column_config.TextColumn("outcome", width=80, help="What came of it."),
    "what": st.column_config.TextColumn("what", width=330, help="Fields before and after, or the steps that were taken."),
    "why": st.column_config.TextColumn("why", width=210, help="As they wrote it, or why it was refused or failed."),
    "effects": st.column_config.TextColumn("effects", width=300, help="What a change was said to come to."),
}


def table(records: Iterable[AuditRecord]) -> pd.DataFrame:
    """One row a record, in their order."""
    return pd.DataFrame([{"at": reader.moment(record.at), **words(record)} for record in records], columns=list(COLUMNS))


def words(record: AuditRecord) -> dict[str, str]:
    """A record without its time; empty is what it does not have."""
    return {
        "generation": str(record.generation),
        "who": record.actor,
        "outcome": record.outcome.value,
        "what": sentence(record.diff) or "; ".join(record.effects) or record.field or "",
        "why": "; ".join(filter(None, [_back(record), record.comment, record.error])),
        "effects": "; ".join(record.effects) if record.diff else "",
    }


def _back(record: AuditRecord) -> str | None:
    return None if record.rolled_back_to is None else f"back to generation {record.rolled_back_to}"
