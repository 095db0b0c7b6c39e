"""Checks as they were found: failed ones first, with evidence and fix; unknown ones with what would let them be known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from dashboard.figures import Figure
from dashboard.wording import plain
from stack.control.precondition import Precondition, Verdict

TITLES = {Verdict.FAIL: "Failed", Verdict.UNKNOWN: "Unknown", Verdict.PASS: "Passed", Verdict.NOT_APPLICABLE: "Not applicable"}
"""In the order they are shown."""
_MEANT = {
    Verdict.FAIL: "They do not hold, and nothing else says so.",
    Verdict.UNKNOWN: "Whether they hold could not be found out: that is not the same as well.",
    Verdict.PASS: "They hold.",
    Verdict.NOT_APPLICABLE: "Of something this fleet does not use.",
}


def figures(checks: Sequence[Precondition]) -> Iterator[Figure]:
    """How many came to what."""
    counts = Counter(check.verdict for check in checks)
    for verdict, title in TITLES.items():
        yield Figure(title, str(counts[verdict]), f"{_MEANT[verdict]} Of {len(checks)} checks.")


def draw(checks: Sequence[Precondition]) -> None:
    """By what they came to; what is well is folded up."""
    for verdict, title in TITLES.items():
        found = [check for check in checks if check.verdict is verdict]
        if not found:
            continue
        match verdict:
            case Verdict.FAIL:
                st.subheader(title, anchor=False)
                for check in found:
                    _failed(check)
            case Verdict.UNKNOWN:
                st.subheader(title, anchor=False)
                st.caption("What would let it be known is said with each; options are those of `kvdeck doctor`.")
                st.markdown("\n".join(f"- **{plain(check.title)}**: {plain(check.evidence)}" for check in found))
            case Verdict.PASS | Verdict.NOT_APPLICABLE:
                panel = st.expander(f"{title}: {len(found)}", key=f"doctor-checks-{verdict.value}", bind="query-params")
                with panel:
                    st.dataframe(table(found), hide_index=True, key=f"checks {verdict.value}")


def _failed(check: Precondition) -> None:
    with st.container(border=True):
        st.markdown(f":red-badge[:material/close: failed] **{plain(check.title)}** :gray[{plain(check.group)}]")
        st.markdown(plain(check.evidence))
        st.caption(plain(check.why))
        st.markdown(f"**Fix:** {plain(check.fix)}")


def table(checks: Sequence[Precondition]) -> pd.DataFrame:
    """Checks as rows."""
    return pd.DataFrame([{"part": check.group, "check": check.title, "found": check.evidence} for check in checks])
