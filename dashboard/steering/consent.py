"""What an operator types before something is taken away, so that no click alone does it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.wording import code, plain
from stack.api.schema import ChangeView, EffectView

_HARMFUL = ("shrink_pool", "change_role", "drain_engines", "resize_l1")


def harm(change: ChangeView) -> list[EffectView]:
    """The effects that take something away: engines that end or serve no more, disaggregation that goes off, KV that is lost."""
    off = {field.model for field in change.diff if field.field.endswith(".dpd.enabled") and field.after is False}
    return [effect for effect in change.effects if effect.kind in _HARMFUL or (effect.kind == "switch_dpd" and effect.model in off)]


def touched(change: ChangeView) -> str:
    """What a change is made to, in one word: the model's name, `tiers`, or `all` where it is several."""
    names = {field.field.partition(".")[0] if field.model is None else field.model for field in change.diff}
    return names.pop() if len(names) == 1 else "all"


def consent(word: str, why: Sequence[str], *, key: str) -> bool:
    """Ask for `word` to be typed, where there is a reason `why`; whether it was, or need not be."""
    if not why:
        return True
    st.warning("\n".join(["**This takes something away:**", *(f"- {plain(reason)}" for reason in why)]), icon=":material/warning:")
    typed = st.text_input(f"Type {code(word)} to confirm", key=key, autocomplete="off")
    return typed.strip() == word


def missing(word: str) -> None:
    """Say that the word is not there yet."""
    st.warning(f"Type {code(word)} first: it is what this change takes something away from.", icon=":material/keyboard:")
