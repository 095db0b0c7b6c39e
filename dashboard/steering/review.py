"""Preview, confirm, apply: what is applied is exactly what was previewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from dashboard import notices, sources, wording
from dashboard.steering.consent import consent, harm, missing, touched
from stack.api.answers import ControlUnreachableError, InFlightError
from stack.api.client import ControlClient
from stack.api.schema import ChangeView
from stack.control.diff import Change

_PREVIEWED, _APPLIED, _IN_FLIGHT = "previewed", "applied", "in flight"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is wanted in place of the desired state of `generation`: a merge patch of it, or what generation `back_to` had.

    `force`: although a pool's last change of size is in flight.
    """

    generation: int
    patch: Mapping[str, object] = field(default_factory=dict)
    back_to: int | None = None
    force: bool = False

    def ask(self, control: ControlClient, *, dry_run: bool = False, comment: str | None = None) -> ChangeView:
        """Preview it, or have it."""
        if self.back_to is None:
            return control.change(self.patch, self.generation, dry_run=dry_run, comment=comment, force=self.force)
        return control.rollback(self.back_to, self.generation, dry_run=dry_run, comment=comment, force=self.force)


def review(proposal: Proposal, asked: bool, *, place: str, read_only: bool = False) -> bool:
    """Preview `proposal` when `asked` to, offer to apply what was previewed; whether it was applied just now.

    `place` tells apart what is previewed in several on a page. `read_only`: control takes no changes, a preview is all there is.
    """
    previewed_here = f"{_PREVIEWED} {place}"
    if asked:
        st.session_state.pop(f"{_APPLIED} {place}", None)
        st.session_state.pop(previewed_here, None)
        st.session_state.pop(f"{_IN_FLIGHT} {place}", None)
        _preview(proposal, place)
    _offer_force(proposal, place)
    previewed: tuple[Proposal, ChangeView] | None = st.session_state.get(previewed_here)
    if previewed is None:
        _outcome(proposal.generation, place)
        return False
    if replace(previewed[0], force=False) != proposal:
        del st.session_state[previewed_here]
        st.info("The form or the state has changed since the preview: preview it again.")
        return False
    applied = _confirm(*previewed, place, read_only)
    if applied:
        del st.session_state[previewed_here]
    return applied


def _preview(proposal: Proposal, place: str) -> None:
    with notices.told():
        try:
            st.session_state[f"{_PREVIEWED} {place}"] = (proposal, proposal.ask(sources.control(), dry_run=True))
        except InFlightError:
            st.session_state[f"{_IN_FLIGHT} {place}"] = proposal
            raise


def _offer_force(proposal: Proposal, place: str) -> None:
    """Where a pool is on its way, and only there, the change can be had all the same."""
    if st.session_state.get(f"{_IN_FLIGHT} {place}") != proposal:
        return
    typed = st.text_input("Type `force` to change the size all the same; it is kept in the history", key=f"force-{place}")
    if st.button("Preview it forced", icon=":material/warning:", key=f"forced-{place}"):
        if typed.strip() != "force":
            st.warning("Type `force` first.", icon=":material/keyboard:")
            return
        del st.session_state[f"{_IN_FLIGHT} {place}"]
        _preview(replace(proposal, force=True), place)


def plain(value: object) -> str:
    """A field's value for people."""
    match value:
        case None:
            return "(inherits)"
        case "":  # a list, told as one text, with nothing in it
            return "none"
        case bool():
            return "on" if value else "off"
        case _:
            return str(value)


def sentence(diff: tuple[Change, ...]) -> str:
    """Field by field, before and after, in one line."""
    return "; ".join(f"{c.field.removeprefix('models.')}: {plain(c.before)} → {plain(c.after)}" for c in diff)


def _confirm(proposal: Proposal, change: ChangeView, place: str, read_only: bool) -> bool:
    if not change.diff:
        st.info("Nothing would change: that is what is in force.")
        return False
    with st.container(border=True):
        st.markdown(f"**This would become generation {proposal.generation + 1}**")
        st.dataframe(fields(change.diff), hide_index=True)
        harmful, name = harm(change), touched(change)
        if others := [effect for effect in change.effects if effect not in harmful]:
            st.markdown("\n".join(f"- {wording.plain(effect.sentence)}" for effect in others))
        sure = consent(name, [effect.sentence for effect in harmful], key=f"sure-{place}-{proposal.generation}")
        why = "Why (required, kept in the history)" if change.comment_required else "Why (kept in the history)"
        comment = st.text_input(why, key=f"comment-{place}-{proposal.generation}")
        pressed = st.button("Apply", type="primary", key=f"apply-{place}", icon=":material/check:", disabled=read_only)
        if pressed and change.comment_required and not comment.strip():
            st.warning("Say why: control takes no change without.", icon=":material/edit_note:")
            return False
        if pressed and not sure:
            missing(name)
            return False
        return pressed and _apply(proposal, comment, place)


def fields(diff: tuple[Change, ...]) -> pd.DataFrame:
    """Field by field, before and after."""
    return pd.DataFrame([{"field": c.field, "before": plain(c.before), "after": plain(c.after)} for c in diff])


def _apply(proposal: Proposal, comment: str, place: str) -> bool:
    with notices.told():
        try:
            change = proposal.ask(sources.control(), comment=comment.strip() or None)
        except ControlUnreachableError as error:
            st.error(
                f"{wording.plain(notices.unreachable(error))} Whether the change was applied is unknown until it answers.",
                icon=notices.AWAY,
            )
            return False
        sources.forget()
        st.session_state[f"{_APPLIED} {place}"] = change
        return True
    return False


def _outcome(generation: int, place: str) -> None:
    """What the last apply came to, until the next preview or the next generation."""
    change: ChangeView | None = st.session_state.get(f"{_APPLIED} {place}")
    if change is None or change.generation != generation:
        return
    if change.pending:
        st.warning(
            f"Generation {change.generation} is in force; not yet acknowledged by {wording.plain(', '.join(change.pending))}."
        )
    elif change.unheard:
        st.warning(f"Generation {change.generation} is in force; no router reports: nothing goes by it yet.")
    else:
        st.success(f"Generation {change.generation} is in force.", icon=":material/check_circle:")
    st.caption("*Generations* on the Control page say what it comes to, once requests have gone by it, and have the way back.")
