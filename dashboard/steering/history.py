"""The audit log, folded up."""

from __future__ import annotations

import streamlit as st

from dashboard import notices, sources
from dashboard.steering import ledger

RECORDS = 100
_WRAPPED = 84  # pixels of a row: Streamlit wraps cells in rows of more than 64


@st.fragment(run_every=5)
def history() -> None:
    """Draw who changed what, newest first, and what control did about it."""
    with st.expander("History: who changed what, and why", key="control-open-history", bind="query-params"), notices.told():
        records = sources.control().audit(limit=RECORDS).records
        frame = ledger.table(records)
        st.dataframe(frame, hide_index=True, key="history", row_height=_WRAPPED, column_config=ledger.COLUMNS)
