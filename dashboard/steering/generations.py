"""What was in force, generation by generation: what each changed, what that came to, and the way back to it."""

from __future__ import annotations

import streamlit as st

from dashboard import notices, reader, sources
from dashboard.steering.outcome import outcome
from dashboard.steering.review import Proposal, fields, review, sentence
from dashboard.wording import plain
from stack.api.history_schema import GenerationView
from stack.api.schema import StateView

GENERATIONS = 50


def generations(state: StateView, may: bool) -> bool:
    """Draw the one that is chosen; whether it was gone back to just now. Who may not change sees no way back."""
    panel = st.expander("Generations: what each came to, and the way back", key="control-open-generations", bind="query-params")
    with panel, notices.told():
        kept = {each.generation: each for each in sources.control().generations(limit=GENERATIONS).generations}
        chosen = st.selectbox(
            "Generation", list(kept), index=None, key="a generation", format_func=lambda number: title(kept[number]),
            placeholder="Choose a generation",
        )  # fmt: skip
        if chosen is None:
            return False
        _changed(kept[chosen])
        st.fragment(outcome, run_every=10)(chosen)
        if chosen >= state.generation:
            st.caption("This generation is in force.")
        elif may:
            asked = st.button("Preview the way back", icon=":material/history:")
            return review(Proposal(state.generation, back_to=chosen), asked, place="back")
    return False


def _changed(kept: GenerationView) -> None:
    record = kept.record
    if record is None:
        st.caption("Who made it, and why, is not known any more.")
        return
    st.markdown(f"**Generation {kept.generation}** by {plain(record.actor)}: {plain(record.comment or 'nobody said why')}")
    if record.diff:
        st.dataframe(fields(record.diff), hide_index=True, key=f"changed-{kept.generation}")
    if record.effects:
        st.markdown("\n".join(f"- {plain(effect)}" for effect in record.effects))


def title(kept: GenerationView) -> str:
    """A generation in one line: since when, by whom, what."""
    record = kept.record
    parts = [str(kept.generation), f"{reader.moment(kept.at):%b %d, %H:%M:%S}"]
    if record is not None:
        parts += filter(None, [record.actor, sentence(record.diff), record.comment])
    return " · ".join(parts)
