"""Another threshold: what it would have done with the requests that control remembers, and two clicks to have it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import streamlit as st

from dashboard import amounts, notices, reader, sources, tiles
from dashboard.figures import Figure
from dashboard.panels import PLAIN
from dashboard.steering.review import Proposal, review
from dashboard.transfers.lengths import described, picture
from dashboard.wording import code, plain
from stack.api.schema import StateView
from stack.api.what_if_words import apply, remarks
from stack.control.estimate import CONFIDENCE
from stack.control.prefill_load import PrefillLoad
from stack.control.prompt_lengths import scale
from stack.control.state import Dpd
from stack.control.what_if import Trial, WhatIf

_KEPT_SECONDS = 15.0  # control goes over thousands of requests for an answer
_MOST = 1 << 18  # tokens: as far as the sliders go
THRESHOLD, UNCACHED = "dpd-threshold", "dpd-uncached"
"""The URL's words for what is tried."""
_ASKED = "what-if asked"


@dataclass(frozen=True, slots=True)
class Try:
    """What was asked of control; `generation` because an answer is beside what is in force."""

    model: str
    threshold: int
    least: int
    generation: int


@st.fragment
def draw(model: str) -> None:
    """Draw it; it is not refreshed by itself, so that what somebody compares stays."""
    st.subheader("Another threshold", anchor=False)
    with notices.told():
        state = sources.state()
        if model not in state.desired.models:
            st.info(f"Control does not serve {code(model)}.")
            return
        dpd = state.desired.models[model].dpd
        threshold, least = _sliders(dpd)
        view = _answer(Try(model, threshold, least, state.generation))
        if view.present is None or not view.trials:
            st.info(
                "Control remembers no request of this model yet, so nothing can be tried. Its memory begins anew with a restart."
            )
        else:
            _compared(view, view.trials[0])
        _apply(state, view, threshold)


def reach(threshold: int) -> str:
    """Which prompts a threshold means; 0 is spelled out, for other products read it the other way."""
    return "every prompt (0 means always)" if threshold == 0 else f"prompts of at least {threshold:,} tokens"


def in_force(dpd: Dpd) -> str:
    """What `dpd` says, for people."""
    if not dpd.enabled:
        off = "Disaggregation is off: every prompt goes straight to a decode engine"
        return f"{off}. The threshold that it would have is {dpd.routing_threshold:,}."
    return f"In force: {reach(dpd.routing_threshold)} are computed on a prefill engine first{_unless(dpd.min_uncached_tokens)}."


def _unless(least: int) -> str:
    if least == 0:
        return "; what a decode engine holds of them does not decide (min_uncached_tokens is 0)"
    return f", unless a decode engine is known to hold all but fewer than {least:,} tokens of one (min_uncached_tokens)"


def _sliders(dpd: Dpd) -> tuple[int, int]:
    st.caption(in_force(dpd))
    left, right = st.columns([3, 2])
    threshold = left.select_slider(
        "Try a threshold, in prompt tokens", _steps(dpd.routing_threshold), value=dpd.routing_threshold, key=THRESHOLD,
        bind="query-params", help="`dpd.routing_threshold`: prompts of so many tokens and more are disaggregated. 0 means always.",
    )  # fmt: skip
    least = right.select_slider(
        "Try least uncached tokens", _steps(dpd.min_uncached_tokens), value=dpd.min_uncached_tokens, key=UNCACHED,
        bind="query-params", help="`dpd.min_uncached_tokens`, the second dimension: a long prompt goes straight to a decode engine "
        "that is known to hold all but fewer than so many tokens of it. 0 means that what is cached never decides.",
    )  # fmt: skip
    return threshold, least


def nearest(threshold: int) -> int:
    """The slider's step that is nearest to it."""
    return min(_steps(0), key=lambda step: abs(step - threshold))


def _steps(now: int) -> list[int]:
    return sorted({*(step for step in scale() if step <= _MOST), now})


def _answer(asked: Try) -> WhatIf:
    """Control's answer, at most some seconds old. Raises ControlError, NoControlError, SettingsError."""
    kept: tuple[Try, float, WhatIf] | None = st.session_state.get(_ASKED)
    if kept is None or kept[0] != asked or time.monotonic() - kept[1] > _KEPT_SECONDS:
        view = sources.control().what_if([asked.threshold], asked.model, min_uncached=asked.least)
        st.session_state[_ASKED] = kept = (asked, time.monotonic(), view)
    return kept[2]


def _compared(view: WhatIf, tried: Trial) -> None:
    since, until = (f"{reader.moment(at):%b %d, %H:%M:%S}" for at in (view.since or 0.0, view.until or 0.0))
    whose = f"{view.requests:,} requests that control remembers, from {since} to {until}"
    tiles.draw(_figures(view, tried), lambda _: f"From control, of {whose}.")
    figure = picture(view, tried.threshold, reader.ink())
    st.plotly_chart(figure, key="lengths", config=PLAIN, alt=described(view, tried.threshold))
    if tried.prefill.saturated:
        st.warning("The prefill pool could not keep up with that: its queue would grow without end.", icon=":material/warning:")
    st.caption(f"{whose}.")
    with st.expander("What this rests on"):
        for remark in remarks(view):
            st.caption(plain(remark))


def _figures(view: WhatIf, tried: Trial) -> Iterator[Figure]:
    """What the threshold would do, each beside what is so now."""
    share = "Share of the remembered requests that would take a prefill engine, in per cent."
    yield Figure("Disaggregated", amounts.percent(tried.share), share, _now(view, lambda now: amounts.percent(now.share)))
    tokens = "Share of their prompt tokens that would, in per cent."
    yield Figure(
        "Prompt tokens", amounts.percent(tried.token_share), tokens, _now(view, lambda now: amounts.percent(now.token_share))
    )
    changed = "Requests, against what was planned for them when they came."
    unsure = "Unsure: an engine that was not recorded may have held the prompt."
    yield Figure("Would change path", f"{tried.to_prefill + tried.to_direct:,}", f"{changed} {unsure}", _changes(tried))
    model = "By a model that is explained below."
    text = f"Share of the time in which it would compute, in per cent{_within(tried.prefill)}. {model}"
    yield Figure("Prefill pool busy", busy(tried.prefill), text, _now(view, lambda now: busy(now.prefill)))
    text = f"How long a prompt would wait for a prefill engine. {model}"
    yield Figure("Mean wait there", wait(tried.prefill), text, _now(view, lambda now: wait(now.prefill)))


def busy(load: PrefillLoad) -> str:
    """The share of the pool that computes; more than all of it says by how much its queue grows."""
    return amounts.percent(None if load.unknown is not None else load.utilisation)


def wait(load: PrefillLoad) -> str:
    """How long a prompt waits for a prefill engine."""
    return "grows" if load.saturated else amounts.duration(None if load.unknown is not None else load.wait_seconds)


def _within(load: PrefillLoad) -> str:
    """The interval that the share is within, by how well a prefill's time is known."""
    if load.utilisation_low is None or load.utilisation_high is None:
        return ""
    bounds = f"{amounts.percent(load.utilisation_low)} to {amounts.percent(load.utilisation_high)}"
    return f", {bounds} by how well is known what a prefill takes (at {amounts.percent(CONFIDENCE)})"


def _now(view: WhatIf, said: Callable[[Trial], str]) -> str:
    """The same of what is in force."""
    return f"now {said(view.present)}" if view.dpd.enabled and view.present is not None else "now off"


def _changes(tried: Trial) -> str:
    unsure = f", {tried.unsure:,} unsure" if tried.unsure else ""
    return f"{tried.to_prefill:,} to prefill, {tried.to_direct:,} direct{unsure}"


def _apply(state: StateView, view: WhatIf, threshold: int) -> None:
    """Two clicks: what it would change, then have it."""
    if not sources.may_change():
        if sources.may_operate():
            st.caption(f"Control takes no change from here: its mode is {state.mode.value}.")
        else:
            notices.looking("applying a threshold")
        st.caption(f"Who may change it: {code(apply(view, threshold))}")
        return
    patch = {"routing_threshold": threshold, "min_uncached_tokens": view.min_uncached_tokens}
    wanted = patch if view.dpd.enabled else patch | {"enabled": True}
    label = "Preview this threshold" if view.dpd.enabled else "Preview disaggregation with this threshold"
    asked = st.button(label, icon=":material/preview:", key="preview threshold")
    proposal = Proposal(state.generation, {"models": {view.model: {"dpd": wanted}}})
    if review(proposal, asked, place="threshold"):
        sources.forget()
        st.rerun()
