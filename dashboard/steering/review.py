"""Preview, confirm, apply: what is applied is exactly what was previewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from dashboard import notices, sources
from stack.api.answers import ControlUnreachableError
from stack.api.client import ControlClient
from stack.api.schema import ChangeView, EffectView
from stack.control.diff import Change

_PREVIEWED, _APPLIED = "previewed", "applied"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is wanted in place of the desired state of `generation`: a merge patch of it, or what generation `back_to` had."""

    generation: int
    patch: Mapping[str, object] = field(default_factory=dict)
    back_to: int | None = None

    def ask(self, control: ControlClient, *, dry_run: bool = False, comment: str | None = None) -> ChangeView:
        """Preview it, or have it."""
        if self.back_to is None:
            return control.change(self.patch, self.generation, dry_run=dry_run, comment=comment)
        return control.rollback(self.back_to, self.generation, dry_run=dry_run, comment=comment)


def review(proposal: Proposal, asked: bool, *, place: str, read_only: bool = False) -> bool:
    """Preview `proposal` when `asked` to, offer to apply what was previewed; whether it was applied just now.

    `place` tells apart what is previewed in several on a page. `read_only`: control takes no changes, a preview is all there is.
    """
    previewed_here = f"{_PREVIEWED} {place}"
    if asked:
        st.session_state.pop(_APPLIED, None)
        st.session_state.pop(previewed_here, None)
        with notices.told():
            st.session_state[previewed_here] = (proposal, proposal.ask(sources.control(), dry_run=True))
    previewed: tuple[Proposal, ChangeView] | None = st.session_state.get(previewed_here)
    if previewed is None:
        _outcome(proposal.generation)
        return False
    if previewed[0] != proposal:
        del st.session_state[previewed_here]
        st.info("The form or the state has changed since the preview: preview it again.")
        return False
    applied = _confirm(*previewed, place, read_only)
    if applied:
        del st.session_state[previewed_here]
    return applied


def plain(value: object) -> str:
    """A field's value for people."""
    match value:
        case None:
            return "(inherits)"
        case bool():
            return "on" if value else "off"
        case _:
            return str(value)


def sentence(diff: tuple[Change, ...]) -> str:
    """Field by field, before and after, in one line."""
    return "; ".join(f"{c.field.removeprefix('models.')}: {plain(c.before)} → {plain(c.after)}" for c in diff)


_HARMFUL = ("shrink_pool", "change_role", "drain_engines", "resize_l1")


def harm(change: ChangeView) -> list[EffectView]:
    """The effects that take something away: engines that end or serve no more, disaggregation that goes off, KV that is lost."""
    off = {field.field.split(".")[1] for field in change.diff if field.field.endswith(".dpd.enabled") and field.after is False}
    return [effect for effect in change.effects if effect.kind in _HARMFUL or (effect.kind == "switch_dpd" and effect.model in off)]


def _confirm(proposal: Proposal, change: ChangeView, place: str, read_only: bool) -> bool:
    if not change.diff:
        st.info("Nothing would change: that is what is in force.")
        return False
    with st.container(border=True):
        st.markdown(f"**This would become generation {proposal.generation + 1}**")
        st.dataframe(fields(change.diff), hide_index=True)
        _effects(change)
        why = "Why (required, kept in the history)" if change.comment_required else "Why (kept in the history)"
        comment = st.text_input(why, key=f"comment-{place}-{proposal.generation}")
        pressed = st.button("Apply", type="primary", key=f"apply-{place}", icon=":material/check:", disabled=read_only)
        if pressed and change.comment_required and not comment.strip():
            st.warning("Say why: control takes no change without.", icon=":material/edit_note:")
            return False
        return pressed and _apply(proposal, comment)


def fields(diff: tuple[Change, ...]) -> pd.DataFrame:
    """Field by field, before and after."""
    return pd.DataFrame([{"field": c.field, "before": plain(c.before), "after": plain(c.after)} for c in diff])


def _effects(change: ChangeView) -> None:
    harmful = harm(change)
    if harmful:
        st.warning("\n".join(["**This takes something away:**", *map(_bullet, harmful)]), icon=":material/warning:")
    if others := [effect for effect in change.effects if effect not in harmful]:
        st.markdown("\n".join(map(_bullet, others)))


def _bullet(effect: EffectView) -> str:
    return f"- {effect.sentence}"


def _apply(proposal: Proposal, comment: str) -> bool:
    with notices.told():
        try:
            change = proposal.ask(sources.control(), comment=comment.strip() or None)
        except ControlUnreachableError as error:
            st.error(f"{notices.unreachable(error)} Whether the change was applied is unknown until it answers.", icon=notices.AWAY)
            return False
        st.session_state[_APPLIED] = change
        return True
    return False


def _outcome(generation: int) -> None:
    """What the last apply came to, until the next preview or the next generation."""
    change: ChangeView | None = st.session_state.get(_APPLIED)
    if change is None or change.generation != generation:
        return
    if change.pending:
        st.warning(f"Generation {change.generation} is in force; not yet acknowledged by {', '.join(change.pending)}.")
    elif change.unheard:
        st.warning(f"Generation {change.generation} is in force; no router reports: nothing goes by it yet.")
    else:
        st.success(f"Generation {change.generation} is in force.", icon=":material/check_circle:")
    st.caption("Further down, *Reports* say what it comes to, once requests have gone by it, and *Roll back* takes it back.")
