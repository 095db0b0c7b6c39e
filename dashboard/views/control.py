"""Control: change strategy, threshold and pool sizes; preview, confirm, watch it being applied."""

from __future__ import annotations

from enum import Enum, auto

import streamlit as st

from dashboard import emulation, hours, links, notices, sources
from dashboard.scope import toolbar
from dashboard.settings import SettingsError
from dashboard.sources import NoControlError
from dashboard.steering.applied import applied
from dashboard.steering.draft import Draft, part
from dashboard.steering.experiments import experiments
from dashboard.steering.form import form
from dashboard.steering.generations import generations
from dashboard.steering.history import history
from dashboard.steering.linked import linked
from dashboard.steering.review import Proposal, review, sentence
from dashboard.wording import plain
from stack.api.answers import ControlError
from stack.api.schema import StateView
from stack.control.diff import diff
from stack.control.mode import Mode

_DRAFTS, _SEEN, _SERIAL = "drafts", "generation seen", "serial"


class May(Enum):
    """What somebody may do here."""

    LOOK = auto()
    PREVIEW = auto()
    CHANGE = auto()


def page() -> None:
    """Draw the page."""
    scope = toolbar("Control")
    hours.of_now(scope.until, "What is in force, and how far it is applied")
    with st.container():  # one place for what comes and goes: else an open panel below would move, and close
        state, may = _state()
        if state is not None:
            notices.experiments(state)
        model = _model(state, scope.model_name)
        if model is not None:
            _change(model, state, may)
    _follow()
    if state is not None:
        links.page_link("dpd", "What another threshold would do", {"dpd-part": "Threshold"}, icon=":material/call_split:")
        if generations(state, may is May.CHANGE):
            st.rerun()
        history()


def _state() -> tuple[StateView | None, May]:
    """What control tells, None where it does not; and what this person may, looking alone where that is not told."""
    state, may = None, May.LOOK
    with notices.told():
        sources.forget()
        state = sources.state()
        notices.role(sources.who(), "change what is in force here")
        if sources.may_operate():
            may = May.CHANGE if state.mode is Mode.LIVE else May.PREVIEW
            notices.mode(state)
    st.session_state[_SEEN] = None if state is None else state.generation
    return state, may


def _model(state: StateView | None, picked: str | None) -> str | None:
    """The model to steer. With control away: one whose form is already open, so that what was typed is not lost."""
    names = sorted(_drafts()) if state is None else sorted(state.desired.models)
    if picked in names:
        return picked
    if len(names) < 2:
        return names[0] if names else None
    return st.selectbox("Model", names, key="control-model", bind="query-params")


def _change(model: str, state: StateView | None, may: May) -> None:
    drafts = _drafts()
    if model not in drafts and state is not None:
        drafts[model] = _filled(model, state)
    locked = state is not None and may is May.LOOK  # what was typed before control went away is not
    if state is not None and not locked and (edited := linked(model, drafts[model], state, _serial)) is not None:
        drafts[model] = edited
    if (filled := form(model, drafts[model], locked=locked)) is None:
        return
    drafts[model] = filled
    if state is None or not _current(model, state):
        return
    draft, change = drafts[model], may is May.CHANGE
    if may is not May.LOOK:  # a viewer's preview would be refused, in every mode
        with st.container(horizontal=True):
            asked = st.button("Preview", icon=":material/preview:")
            if draft.patch and st.button("Reset", icon=":material/undo:"):
                _begin(model, _filled(model, state))
        if review(Proposal(draft.generation, draft.patch), asked, place="form", read_only=not change):
            del drafts[model]
            st.rerun()
    experiments(model, draft.patch, state, change)


def _current(model: str, state: StateView) -> bool:
    """Whether the draft is a change to what is in force; else somebody else's change is told, with the ways on."""
    draft, now = _drafts()[model], state.desired
    if draft.generation == state.generation:
        return True
    if part(now, model) == draft.basis:  # the change was to another model, or was taken back
        _drafts()[model] = draft.onto(state.generation, now, draft.serial)
        return True
    if not draft.patch:
        _begin(model, _filled(model, state))
    since = diff(draft.basis, part(now, model))
    st.warning(
        f"Somebody changed the state: generation {state.generation} is in force, this form began at {draft.generation}. "
        f"Since then: {plain(sentence(since))}.",
        icon=":material/sync_problem:",
    )
    with st.container(horizontal=True):
        if st.button(f"Keep my edits, on generation {state.generation}", icon=":material/merge:"):
            _begin(model, draft.onto(state.generation, now, _serial()))
        if st.button("Discard my edits", icon=":material/undo:"):
            _begin(model, _filled(model, state))
    return False


def _begin(model: str, draft: Draft) -> None:
    _drafts()[model] = draft
    st.rerun()


def _filled(model: str, state: StateView) -> Draft:
    return Draft.of(state.generation, state.desired, model, _serial())


def _serial() -> int:
    serial: int = st.session_state.get(_SERIAL, 0) + 1
    st.session_state[_SERIAL] = serial
    return serial


def _drafts() -> dict[str, Draft]:
    drafts: dict[str, Draft] = st.session_state.setdefault(_DRAFTS, {})
    return drafts


@st.fragment(run_every=2)
@emulation.watched
def _follow() -> None:
    """Desired against applied. The form is left alone; a generation it does not know draws the page again, edits and all."""
    if st.session_state[_SEEN] is None:
        _await()
        return
    with notices.told():
        state = sources.control().state()
        if state.generation != st.session_state[_SEEN]:
            st.rerun()
        applied(state)


def _await() -> None:
    """Control did not tell its state when the page was drawn, and the page says so: draw it again once it does."""
    try:
        sources.control().state()
    except (ControlError, NoControlError, SettingsError):
        st.caption("Trying again every 2 s.")
    else:
        st.rerun()
