"""Doctor: the silent preconditions of the fleet, with evidence and fix."""

from __future__ import annotations

import streamlit as st

from dashboard import amounts, emulation, hours, notices, reader, sources, tiles
from dashboard.findings import checks
from dashboard.scope import toolbar
from dashboard.wording import plain
from stack.api.answers import ControlAnswerError
from stack.api.doctor_schema import DoctorView
from stack.control.precondition import Verdict

_LOOK_SECONDS = 2  # while an examination is under way
_AGAIN, _RUNNING = "examine again", "examination runs"
_NOT_HERE = "not_found", "unconfigured"  # an older control, or one that examines nothing
_BY_HAND = (
    "`kvdeck doctor` examines the stack of this machine; `kvdeck doctor --targets FILE --prometheus URL` a fleet of your own, "
    "`--kubernetes SELECTOR` one of pods."
)


def page() -> None:
    """Draw the page."""
    scope = toolbar("Doctor")
    hours.of_now(scope.until, "What was examined")
    st.caption("What KV-aware routing, cache tiers and disaggregation silently rely on: where it does not hold, nothing says so.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # The link holds the words.
        titles = [title.lower() for title in checks.TITLES.values()]
        verdicts = st.pills("Show", titles, selection_mode="multi", key="doctor-verdict", bind="query-params")
    wanted = frozenset(verdict for verdict, title in checks.TITLES.items() if title.lower() in verdicts)
    if st.session_state.get(_RUNNING):
        st.fragment(emulation.watched(_found), run_every=_LOOK_SECONDS)(wanted)
    else:
        scope.live(_found, wanted)


def _found(wanted: frozenset[Verdict]) -> None:
    view = _view()
    if view is None:
        return
    _follow(running=view.running_seconds is not None)
    if view.error is not None:
        st.error(f"The last examination came to nothing: {plain(view.error)}.", icon=":material/error:")
    if view.checks is None:
        st.info("No examination has ended yet.", icon=":material/hourglass_top:")
        return
    at = amounts.UNKNOWN if view.at is None else f"{reader.moment(view.at):%b %d, %H:%M:%S} ({reader.zone()})"
    tiles.draw(checks.figures(view.checks), lambda _: f"From control, as of {at}.")
    shown = [check for check in view.checks if not wanted or check.verdict in wanted]
    if not any(check.verdict is Verdict.FAIL for check in view.checks):
        if unknown := sum(check.verdict is Verdict.UNKNOWN for check in view.checks):
            st.info(f"Nothing is known to fail; of {unknown} checks it could not be told.", icon=":material/help:")
        else:
            st.success("Every check that concerns this fleet holds.", icon=":material/check_circle:")
    if shown:
        checks.draw(shown)
    else:
        st.info("No check came to that.", icon=":material/filter_alt:")
    if view.at is not None:
        age = "" if view.age_seconds is None else f", {amounts.ago(view.age_seconds)}"
        took = "" if view.took_seconds is None else f"; it took {amounts.duration(view.took_seconds)}"
        st.caption(f"Examined by control at {at}{age}{took}. `kvdeck doctor` on an engine's machine can read more of its process.")


def _view() -> DoctorView | None:
    """What control tells, anew when the button was pressed; None where it does not, which is said."""
    with notices.told():
        with st.container(horizontal=True, vertical_alignment="center"):
            try:
                control = sources.control()
            except sources.NoControlError:
                st.info(f"Without kvdeck's control nobody examines the fleet from here. {_BY_HAND}", icon=":material/link_off:")
                return None
            again = st.button(
                "Examine again", icon=":material/stethoscope:", key=_AGAIN, disabled=bool(st.session_state.get(_RUNNING))
            )
            try:
                with st.spinner("Examining the fleet…", show_time=True) if again else st.empty():
                    view = control.doctor(again=again)
            except ControlAnswerError as error:
                if error.code not in _NOT_HERE:
                    raise
                st.info(f"This control examines nothing. {_BY_HAND}", icon=":material/link_off:")
                return None
            if view.running_seconds is not None:
                st.markdown(f":blue-badge[:material/hourglass_top: examining for {amounts.age(view.running_seconds)}]")
        return view
    st.caption(_BY_HAND)
    return None


def _follow(*, running: bool) -> None:
    """Look more often while an examination is under way."""
    if running is not bool(st.session_state.get(_RUNNING)):
        st.session_state[_RUNNING] = running
        st.rerun()
