"""What the other strategies would have been worth, over the decisions on which they decided along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

import pandas as pd
import streamlit as st

from dashboard import amounts
from stack.control.decision import DecisionRecord, ShadowChoice

DECIDED, AGREED, TOKENS, SECONDS = "decided along", "agreed", "more cached tokens", "sooner by"
_NUMBER = st.column_config.NumberColumn
HELP = {
    AGREED: "on which engine computes the prompt",
    TOKENS: "on average, where both engines' caches were known; above 0 the other strategy would have found more",
    SECONDS: "predicted first token, on average; above 0 the other strategy would have been faster",
}


def draw(decisions: Sequence[DecisionRecord]) -> None:
    """The comparison, folded up."""
    frame = compared(decisions)
    with st.expander("What the other strategies would have done with these requests", key="decisions others"):
        if frame.empty:
            st.caption("They decided along on none of them: `shadow_share` says on how many they do.")
            return
        alt = "Other strategies over these requests"
        st.dataframe(frame, hide_index=True, placeholder=amounts.UNKNOWN, key="others", alt=alt, column_config={
            AGREED: _NUMBER(format=amounts.PERCENT, help=HELP[AGREED]),
            TOKENS: _NUMBER(format="%.0f", help=HELP[TOKENS]),
            SECONDS: _NUMBER(format="%.3f s", help=HELP[SECONDS]),
        })  # fmt: skip


def compared(decisions: Iterable[DecisionRecord]) -> pd.DataFrame:
    """A row a strategy, by name; empty when none decided along."""
    shadows: dict[str, list[ShadowChoice]] = {}
    for decision in decisions:
        for shadow in decision.shadows:
            shadows.setdefault(shadow.strategy, []).append(shadow)
    return pd.DataFrame([_row(strategy, shadows[strategy]) for strategy in sorted(shadows)])


def _row(strategy: str, made: list[ShadowChoice]) -> dict[str, object]:
    return {
        "strategy": strategy,
        DECIDED: len(made),
        AGREED: amounts.hundredths(fmean(shadow.agrees for shadow in made)),
        TOKENS: _mean(shadow.gained_tokens for shadow in made),
        SECONDS: _mean(shadow.gained_seconds for shadow in made),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
