"""The audit log as rows."""

from streamlit.testing.v1 import AppTest

from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import Change


def _rows() -> None:
    import streamlit as st

    from dashboard.steering.ledger import table

    st.dataframe(table(st.session_state["records"]))


def test_a_row_says_what_changed_why_and_with_which_effects() -> None:
    changed = AuditRecord(
        at=0, actor="ada", outcome=Outcome.APPLIED, generation=2, comment="quieter",
        diff=(Change(field="models.m.dpd.enabled", before=True, after=False),), effects=("Off.",),
    )  # fmt: skip
    step = AuditRecord(at=0, actor="control", outcome=Outcome.STEP, generation=2, effects=("decode-1 starts",))
    refused = AuditRecord(at=0, actor="ada", outcome=Outcome.REFUSED, generation=2, error="no such strategy", field="m.strategy")
    session = AppTest.from_function(_rows)
    session.session_state["records"] = (changed, step, refused)
    frame = session.run().dataframe[0].value
    assert frame[["who", "outcome", "what", "why", "effects"]].to_numpy().tolist() == [
        ["ada", "applied", "m.dpd.enabled: on → off", "quieter", "Off."],
        ["control", "step", "decode-1 starts", "", ""],
        ["ada", "refused", "m.strategy", "no such strategy", ""],
    ]
