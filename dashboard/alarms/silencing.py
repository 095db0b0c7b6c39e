"""Has nobody told of some alerts for a while: which, for how long, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import streamlit as st

from dashboard import notices, reader, sources, wording
from dashboard.alarms.groups import Group
from stack.api.alert_schema import SilenceView
from stack.control.alert import NAME
from stack.control.silence import LONGEST_SECONDS, SHORTEST_SECONDS, Matcher, matcher

PRESETS = {"30 min": 1_800.0, "2 h": 7_200.0, "1 day": 86_400.0}
CUSTOM = "other"
_DRAFT, _SERIAL, _MADE = "silence draft", "silence serial", "silence made"


@dataclass(frozen=True, slots=True)
class Draft:
    """What is about to be silenced: an alert by name, and labels it may be narrowed to. `serial` tells drafts apart."""

    serial: int
    name: str
    labels: tuple[tuple[str, str], ...]


def offer(group: Group) -> None:
    """A button that begins a draft."""
    if st.button("Silence…", key=f"silence {group.name} {group.severity}", icon=":material/notifications_paused:"):
        serial: int = st.session_state.get(_SERIAL, 0) + 1
        st.session_state[_SERIAL] = serial
        st.session_state[_DRAFT] = Draft(serial, group.name, tuple(sorted(group.common.items())))
        st.session_state.pop(_MADE, None)
        st.rerun()


def panel() -> None:
    """The draft, where there is one, outside of what refreshes itself: what somebody types stays."""
    made: SilenceView | None = st.session_state.get(_MADE)
    if made is not None:
        until = f"{reader.moment(made.silence.ends):%b %d, %H:%M}"
        st.success(f"Silenced until {until}: {wording.code(made.silence.words)}.", icon=":material/notifications_paused:")
    draft: Draft | None = st.session_state.get(_DRAFT)
    if draft is not None:
        _form(draft)


@st.fragment
def _form(draft: Draft) -> None:
    with st.container(border=True):
        st.markdown(f"**Silence {wording.plain(draft.name)}**")
        matchers = _matchers(draft)
        seconds = _seconds(draft)
        comment = st.text_input(
            "Why (required; Alertmanager and the history keep it)", key=f"silence-why-{draft.serial}", max_chars=500
        ).strip()
        if matchers is not None:
            _preview(matchers, seconds)
        with st.container(horizontal=True):
            pressed = st.button("Silence", type="primary", key=f"silence-make-{draft.serial}", disabled=matchers is None)
            if st.button("Cancel", key=f"silence-cancel-{draft.serial}"):
                del st.session_state[_DRAFT]
                st.rerun()
        if not pressed or matchers is None:
            return
        if not comment:
            st.warning("Say why: whoever looks next has to know.", icon=":material/edit_note:")
            return
        with notices.told():
            st.session_state[_MADE] = sources.control().silence(matchers, seconds, comment)
            del st.session_state[_DRAFT]
            st.rerun()


def _matchers(draft: Draft) -> list[Matcher] | None:
    """None where one of them is none, which is said."""
    labels = {f"{name}={value}": Matcher(name=name, value=value) for name, value in draft.labels}
    chosen = st.multiselect(
        "Only where", list(labels), default=list(labels), key=f"silence-where-{draft.serial}",
        help="Labels that all alerts of this group have. With none of them it is silenced everywhere.",
    )  # fmt: skip
    text = st.text_input(
        "And where", key=f"silence-more-{draft.serial}", placeholder='such as replica=~"decode-[0-3]"',
        help="One more condition, as Alertmanager takes it: LABEL=VALUE, !=, =~ (a regular expression), !~.",
    ).strip()  # fmt: skip
    found = [Matcher(name=NAME, value=draft.name), *(labels[word] for word in chosen)]
    if not text:
        return found
    more = matcher(text)
    if more is None:
        st.warning("That is no condition: expected LABEL=VALUE, LABEL!=VALUE, LABEL=~REGEX or LABEL!~REGEX.")
        return None
    return [*found, more]


def _seconds(draft: Draft) -> float:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.segmented_control(
            "For", [*PRESETS, CUSTOM], default=next(iter(PRESETS)), key=f"silence-for-{draft.serial}", required=True
        )
        if preset in PRESETS:
            return PRESETS[preset]
        hours = st.number_input(
            "Hours", min_value=SHORTEST_SECONDS / 3_600, max_value=LONGEST_SECONDS / 3_600, value=4.0, step=1.0, format="%.1f",
            key=f"silence-hours-{draft.serial}", width=160,
        )  # fmt: skip
    return max(SHORTEST_SECONDS, float(hours) * 3_600)


def _preview(matchers: list[Matcher], seconds: float) -> None:
    """Which alerts that would be now, as Alertmanager judges."""
    with notices.told():
        view = sources.control().silence(matchers, seconds, "preview", dry_run=True)
        until = f"{reader.moment(view.silence.ends):%b %d, %H:%M} ({reader.zone()})"
        if not view.alerts:
            st.info(f"Nothing that fires now is held back by that; what begins until {until} would be.")
            return
        counts = Counter(alert.name for alert in view.alerts)
        named = ", ".join(f"{count} {wording.code(name)}" for name, count in counts.most_common())
        st.info(f"Holds back {len(view.alerts)} that fire now, until {until}: {named}.", icon=":material/visibility:")
