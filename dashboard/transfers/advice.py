"""What to do about the pools and the threshold, with the numbers behind it and the way there."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

import streamlit as st

from dashboard import notices, sources
from dashboard.links import page_link
from dashboard.transfers.threshold import THRESHOLD, nearest
from dashboard.wording import code, plain
from stack.control.balance import Advice, Load, Move, advise
from stack.control.break_even import Band
from stack.model.tier import Pool

_KEPT_SECONDS = 60.0  # control goes over thousands of requests to tell which path was quicker
_BANDS = "bands read"
_SHOWN = {
    Move.NOTHING: (st.success, ":material/check_circle:"),
    Move.UNKNOWN: (st.info, ":material/help:"),
}
_OTHERS = (st.warning, ":material/lightbulb:")
_POOLS = {Move.MORE_PREFILL: Pool.PREFILL, Move.MORE_DECODE: Pool.DECODE}


def advising(model: str, loads: Mapping[Pool, Load]) -> None:
    """Draw it; it needs control, which says what is desired."""
    with notices.told():
        wanted = sources.state().desired.models.get(model)
        if wanted is None:
            st.info(f"Control does not serve {code(model)}: what to do about its pools is not known here.")
            return
        found = advise(loads[Pool.PREFILL], loads[Pool.DECODE], wanted, _bands(model))
        for number, advice in enumerate(found):
            _draw(model, advice, number)


def _draw(model: str, advice: Advice, number: int) -> None:
    show, icon = _SHOWN.get(advice.move, _OTHERS)
    show("\n".join([f"**{plain(advice.sentence)}**", "", *(f"- {plain(line)}" for line in advice.evidence)]), icon=icon)
    if advice.value is None:
        return
    if (pool := _POOLS.get(advice.move)) is not None:
        if not sources.may_operate():
            notices.looking("changing the size of a pool")
            return
        edit = f"pools.{pool}.replicas={advice.value}"
        label, tip = f"Preview {advice.value} {pool} engines on the Control page", "The link fills the form, and changes nothing."
        page_link("control", label, {"model": model, "set": edit}, icon=":material/tune:", tip=tip)
    else:
        words = "Shows what it would have done with the requests that control remembers."
        act = partial(_try, advice.value)
        if st.button(
            f"Try {advice.value:,} as the threshold", icon=":material/call_split:", key=f"try {number}", on_click=act, help=words
        ):
            st.rerun()  # the whole page: another part of it


def _try(threshold: int) -> None:
    st.session_state["dpd-part"] = "Threshold"
    st.session_state[THRESHOLD] = nearest(threshold)


def _bands(model: str) -> tuple[Band, ...]:
    """Which path was quicker, as control tells it, at most a minute old. Raises as `sources.state` does, and ControlError."""
    kept: tuple[str, float, tuple[Band, ...]] | None = st.session_state.get(_BANDS)
    if kept is None or kept[0] != model or time.monotonic() - kept[1] > _KEPT_SECONDS:
        view = sources.control().what_if([0], model)
        st.session_state[_BANDS] = kept = (model, time.monotonic(), view.bands)
    return kept[2]
