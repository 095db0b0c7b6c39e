"""Draining, giving back and scaling: each previewed, and applied with a reason."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard import notices, sources
from dashboard.fleet.place import Place
from dashboard.steering.review import Proposal, review
from dashboard.wording import plain
from stack.api.schema import EngineView, StateView
from stack.control.state import PoolState
from stack.model.tier import Pool

_PENDING, _HERE = "fleet change", "fleet"


@st.fragment
def steer(place: Place | None, name: str | None) -> None:
    """What can be done with the pool at `place` and the engine `name`. It does not refresh itself: somebody may be typing."""
    with notices.quiet():  # where control is away, the page says so
        state = sources.state()
        if not _allowed(state):
            return
        asked = None
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if place is not None and place.model in state.desired.models:
                asked = _scale(place, state)
            if (view := _view(state, name)) is not None:
                asked = _turn(view, state) or asked
        if place is None and name is None:
            st.caption("Choose a pool to scale it, an engine to drain it or to give it requests again.")
        if asked is not None:
            st.session_state[_PENDING] = asked
        proposal = Proposal(state.generation, st.session_state.get(_PENDING, {}))
        if review(proposal, asked is not None, place=_HERE, read_only=not sources.may_change()):
            st.session_state.pop(_PENDING)
            st.rerun()


def _allowed(state: StateView) -> bool:
    """Whether this person may at least preview; it is said why not, and why a preview is all."""
    notices.role(sources.who(), "drain and scale here")
    if not sources.may_operate():
        return False
    notices.mode(state)
    return True


def _scale(place: Place, state: StateView) -> Mapping[str, object] | None:
    """The patch that was asked for just now."""
    wanted = _pool(place, state)
    label, size, least, most = f"Engines of {plain(str(place))}", wanted.replicas, wanted.bounds.min, wanted.bounds.max
    text = f"Between {least} and {most}, its bounds. Engines beyond leave once they are quiet, others start one after another."
    # The browser starts at what it is told here, and is told nothing else: what somebody clicks meanwhile stays.
    replicas = st.number_input(label, least, most, size, 1, key=f"size of {place}", help=text, width=200)
    if st.button("Preview the size", icon=":material/preview:", key="scale"):
        return patch(place, {"replicas": replicas})
    return None


def _turn(view: EngineView, state: StateView) -> Mapping[str, object] | None:
    place = Place(view.model, view.pool.value)
    if place.model not in state.desired.models:
        return None
    out = _pool(place, state).drained
    if view.name in out:
        if st.button(f"Give {plain(view.name)} requests again", icon=":material/undo:", key="undrain"):
            return patch(place, {"drained": [name for name in out if name != view.name]})
    elif st.button(f"Drain {plain(view.name)}", icon=":material/block:", key="drain", help=_DRAINS):
        return patch(place, {"drained": [*out, view.name]})
    return None


_DRAINS = "No new requests for it; those in flight finish. It stays, and counts among its pool's engines."


def patch(place: Place, pool: Mapping[str, object]) -> Mapping[str, object]:
    """A merge patch of the pool at `place`."""
    return {"models": {place.model: {"pools": {place.pool: dict(pool)}}}}


def _pool(place: Place, state: StateView) -> PoolState:
    return state.desired.models[place.model].pools.of(Pool(place.pool))


def _view(state: StateView, name: str | None) -> EngineView | None:
    return next((engine for engine in state.engines if engine.name == name), None)
