"""The way back: what was desired once, desired again."""

from __future__ import annotations

import streamlit as st

from dashboard import notices, reader, sources
from dashboard.steering.review import Proposal, review, sentence
from stack.api.history_schema import GenerationView
from stack.api.schema import StateView
from stack.control.mode import Mode

GENERATIONS = 50


def rollback(state: StateView) -> bool:
    """Offer the generations before this one; whether one was rolled back to just now."""
    with st.expander("Roll back: make what was desired once desired again"), notices.told():
        kept = sources.control().generations(limit=GENERATIONS).generations
        earlier = {each.generation: each for each in kept if each.generation < state.generation}
        if not earlier:
            st.caption("There is no generation before this one.")
            return False
        chosen = st.selectbox(
            "Generation", list(earlier), index=None, key="back to", format_func=lambda number: title(earlier[number]),
            placeholder="Choose a generation",
        )  # fmt: skip
        if chosen is None:
            return False
        asked = st.button("Preview the way back", icon=":material/history:")
        proposal = Proposal(state.generation, back_to=chosen)
        return review(proposal, asked, place="back", read_only=state.mode is not Mode.LIVE)
    return False


def title(kept: GenerationView) -> str:
    """A generation in one line: since when, by whom, what."""
    record = kept.record
    parts = [str(kept.generation), f"{reader.moment(kept.at):%b %d, %H:%M:%S}"]
    if record is not None:
        parts += filter(None, [record.actor, sentence(record.diff), record.comment])
    return " · ".join(parts)
