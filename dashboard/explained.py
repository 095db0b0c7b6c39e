"""One decision, explained on a page: in words, candidate by candidate, predicted beside measured."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import reader
from stack.control.account import parts, predictions, sentences
from stack.control.decision import DecisionRecord, Selection

_CHOSEN = "\N{BLACK RIGHT-POINTING TRIANGLE}"


def draw(record: DecisionRecord) -> None:
    """The whole explanation."""
    st.subheader(f"Decision `{record.request_id}`", anchor=False)
    st.caption(f"{record.requested}, {reader.moment(record.at):%Y-%m-%d %H:%M:%S}, generation {record.generation}")
    st.markdown("\n".join(f"- {line}" for line in sentences(record)))
    for pool, chosen in (("Prefill", record.prefill), ("Decode", record.decode)):
        if chosen is not None:
            _candidates(pool, chosen)
    left, right = st.columns(2)
    with left:
        st.markdown("**As predicted?**")
        st.dataframe(expectations(record), hide_index=True, key="expectations")
    with right:
        st.markdown("**What the other strategies would have done**")
        if record.shadows:
            st.dataframe(shadows(record), hide_index=True, placeholder="", key="shadows")
        else:
            st.caption("They did not decide along on this request: `shadow_share` says on how many they do.")


def _candidates(pool: str, chosen: Selection) -> None:
    order = f"best first by `{chosen.ranked_by}`" if chosen.ranked_by else "least loaded first"
    others = f", and {chosen.omitted} others" if chosen.omitted else ""
    st.markdown(f"**{pool} candidates**, {order}{others}")
    st.dataframe(candidates(chosen), hide_index=True, placeholder="", key=f"candidates {pool}")


def candidates(chosen: Selection) -> pd.DataFrame:
    """Every candidate with its score parts; what is not known stays empty."""
    names = parts(chosen)
    return pd.DataFrame(
        {
            "": _CHOSEN if one.engine == chosen.engine else "",
            "engine": one.engine,
            "in flight": one.in_flight,
            "cached tokens": one.cached_tokens,
            **{name: one.scores.get(name) for name in names},
            **({"not known": ", ".join(one.doubts)} if one.doubts else {}),
        }
        for one in chosen.candidates
    )


def expectations(record: DecisionRecord) -> pd.DataFrame:
    """What was predicted beside what came."""
    return pd.DataFrame(list(predictions(record)), columns=["", "predicted", "measured"])


def shadows(record: DecisionRecord) -> pd.DataFrame:
    """What others would have chosen; a gain above 0 says that theirs was the better choice."""
    return pd.DataFrame(
        {
            "strategy": one.strategy,
            "engine": "the same" if one.agrees else one.engine,
            "because": one.reason,
            "more cached tokens": one.gained_tokens,
            "sooner by s": one.gained_seconds,
        }
        for one in record.shadows
    )
