"""Which hours are looked at: the last ones, or those between two moments that the URL holds, which are the same tomorrow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import streamlit as st

from dashboard import notices, reader

RANGES = {
    "5m": timedelta(minutes=5),
    "15m": timedelta(minutes=15),
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "1d": timedelta(days=1),
    "7d": timedelta(days=7),
}
USUAL_RANGE = "15m"
RANGE, FROM, UNTIL = "range", "from", "until"
"""The URL's words for them."""
_SHORTEST, _LONGEST = timedelta(minutes=1), timedelta(days=31)
_LIKE = "2026-01-31T18:00:00Z"
_HOLD = "hold hours"
_ICON = ":material/history:"


@dataclass(frozen=True, slots=True)
class Hours:
    """The last `length`, or that which ended `until`; `doubt` is why what the URL holds is not heeded."""

    length: timedelta
    until: datetime | None = None
    doubt: str = ""


def between(since: str, until: str, now: datetime) -> Hours:
    """The hours from one moment to another, in ISO's words, UTC where they tell no zone. Raises ValueError with the reason."""
    start, end = _moment(since, "From"), _moment(until, "Until")
    if end > now:
        raise ValueError("Until is still to come.")
    if not _SHORTEST <= end - start <= _LONGEST:
        raise ValueError(f"From has to be a minute to {_LONGEST.days} days before until.")
    return Hours(end - start, end)


def _moment(text: str, name: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} is no moment like {_LIKE}." if text.strip() else f"{name} is missing.") from None


def chosen() -> Hours:
    """Draw the choice of either kind."""
    last = st.segmented_control(
        "Time range", list(RANGES), default=USUAL_RANGE, key=RANGE, bind="query-params", required=True,
        label_visibility="collapsed", on_change=_let_go,
    )  # fmt: skip
    usual = Hours(RANGES[last or USUAL_RANGE])
    # Before a page is first drawn, only its link says what is held.
    since, until = (st.session_state.get(name) or st.query_params.get(name) or "" for name in (FROM, UNTIL))
    asked = _held(since, until, usual)
    with st.popover(_words(asked), icon=_ICON, help="Hold the hours that are looked at: the link shows the same ones tomorrow"):
        since, until = (
            st.text_input(f"{name.title()}, UTC", key=name, bind="query-params", placeholder=_LIKE, max_chars=40)
            for name in (FROM, UNTIL)
        )
        st.session_state[_HOLD] = asked.until is not None
        st.toggle("Hold what is shown", key=_HOLD, on_change=_turn, args=(asked,), help="Until it is switched off again.")
    return _held(since, until, usual)


def _held(since: str, until: str, usual: Hours) -> Hours:
    if not since and not until:
        return usual
    try:
        return between(since, until, datetime.now(UTC))
    except ValueError as error:
        return Hours(usual.length, doubt=str(error))


def _turn(shown: Hours) -> None:
    if not st.session_state[_HOLD]:
        _let_go()
        return
    span = reader.span(shown.length, shown.until).universal
    for name, at in ((FROM, span.start), (UNTIL, span.end)):
        st.session_state[name] = f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _let_go() -> None:
    for name in (FROM, UNTIL):
        st.session_state[name] = ""


def _words(hours: Hours) -> str:
    if hours.until is None:
        return "Hold"
    span = reader.span(hours.length, hours.until)
    days = "" if span.start.date() == span.end.date() else f"{span.end:%b %d}, "
    return f"{span.start:%b %d, %H:%M} to {days}{span.end:%H:%M}"


def told(hours: Hours) -> None:
    """Say which hours are held, with the way back; or why none are."""
    if hours.doubt:
        st.warning(f"No hours are held: {hours.doubt} The last ones are shown.", icon=notices.REFUSED)
    elif hours.until is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            zone = reader.zone()
            st.info(f"Held: {_words(hours)} ({zone}), as it was then. Nothing is refreshed.", icon=_ICON)
            st.button("Back to the last hours", key="let hours go", icon=":material/play_arrow:", on_click=_let_go)


def of_now(until: datetime | None, what: str) -> None:
    """Where hours are held, say that `what` is of now all the same."""
    if until is not None:
        st.caption(f":material/update: {what}: as of now, not of the hours that are held above.")
