"""One decision, explained on a page: in words, candidate by candidate, predicted beside measured, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import amounts, legend, notices, reader, sources, tiles
from dashboard.deciding import candidates, outcome
from dashboard.deciding.filters import REQUEST
from dashboard.deciding.listing import address
from dashboard.figures import Figure
from dashboard.panels import PLAIN
from dashboard.scope import Scope
from dashboard.wording import code, plain
from stack.api.answers import ControlAnswerError
from stack.control.account import sentences
from stack.control.decision import DecisionRecord, Selection

_KEPT = "decision explained"
_NOT_FOUND = 404
_NUMBER = st.column_config.NumberColumn


def asked(scope: Scope) -> None:
    """Explain the decision that the URL names. Once read it is kept, however far the list moves on."""
    request_id = (st.session_state.get(REQUEST) or "").strip()
    if request_id:
        kept = _kept(request_id)
        # Until it is there it is looked for again; then there is nothing to refresh.
        st.fragment(_explain, run_every=scope.refresh if kept is None else None)(request_id)


def _kept(request_id: str) -> DecisionRecord | None:
    kept: DecisionRecord | None = st.session_state.get(_KEPT)
    return kept if kept is not None and kept.request_id == request_id else None


def _explain(request_id: str) -> None:
    with notices.told():
        record = _kept(request_id) or _read(request_id)
        if record is not None:
            st.session_state[_KEPT] = record
            draw(record)


def _read(request_id: str) -> DecisionRecord | None:
    try:
        return sources.control().decision(request_id)
    except ControlAnswerError as error:
        if error.status != _NOT_FOUND:
            raise
        st.info(plain(error.message), icon=":material/search_off:")
        return None


def draw(record: DecisionRecord) -> None:
    """The whole explanation."""
    with st.container(border=True, key="explanation"):
        _head(record)
        st.markdown("\n".join(f"- {plain(line)}" for line in sentences(record)))
        for pool, chosen in (("Prefill", record.prefill), ("Decode", record.decode)):
            if chosen is not None:
                _candidates(pool, chosen, record.prompt_tokens)
        if not record.observed:
            _measured(record)
            _phases(record)
        _others(record)


def _head(record: DecisionRecord) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.subheader(f"Decision {code(record.request_id)}", anchor=False, width="content")
        st.button("Close", icon=":material/close:", on_click=_close, key="explanation close", help="Back to the list alone")
    told = [record.requested, f"{reader.moment(record.at):%Y-%m-%d %H:%M:%S}", f"generation {record.generation}"]
    if record.experiment:
        told.append(f"experiment {record.experiment}, {record.arm}")
    badge = ":gray-badge[:material/visibility: observed only] " if record.observed else ""
    st.caption(f"{badge}{plain(', '.join(told))}")
    st.code(address(record.request_id), language=None)


def _close() -> None:
    st.session_state[REQUEST] = ""


def _candidates(pool: str, chosen: Selection, prompt_tokens: int) -> None:
    order = f"best first by {code(chosen.ranked_by)}" if chosen.ranked_by else "least loaded first"
    others = f", and {chosen.omitted} others" if chosen.omitted else ""
    st.markdown(f"**{pool} candidates**, {order}{others}")
    if not chosen.candidates:
        st.caption("The router kept none of them with this decision.")
        return
    bars = candidates.bars(chosen, prompt_tokens)
    for column, one in zip(st.columns(len(bars)), bars, strict=True):
        with column:
            st.markdown(f":small[{one.title}]", help=one.help)
            _drawn(one.figure, f"{pool} {one.title}", f"{one.title}, {pool}: {one.told}")
    with st.expander(f"The numbers of the {pool.lower()} candidates", key=f"{pool} numbers"):
        st.dataframe(
            candidates.table(chosen),
            hide_index=True,
            placeholder=amounts.UNKNOWN,
            key=f"candidates {pool}",
            alt=f"{pool} candidates",
        )
        st.caption("Score parts that end with `_s` are seconds, with `_tokens` tokens.")


def _measured(record: DecisionRecord) -> None:
    st.markdown("**As predicted?**")
    tokens, seconds = outcome.cached(record), outcome.first_token(record)
    left, right = st.columns(2)
    with left:
        help = "As the strategy expected them, and as the engine that answered reported them."
        st.markdown(":small[Cached prompt tokens]", help=help)
        _drawn(outcome.beside(tokens, "tokens"), "cached as predicted", f"Cached tokens. {outcome.told(tokens, 'tokens')}")
    with right:
        help = "From handing it the request to its first token, in seconds."
        st.markdown(":small[First token of the engine that computed the prompt]", help=help)
        _drawn(outcome.beside(seconds, "seconds"), "ttft as predicted", f"First token. {outcome.told(seconds, 'seconds')}")
    tiles.draw(_figures(record), lambda _: "From the router's record of this decision.")


def _figures(record: DecisionRecord) -> Iterator[Figure]:
    text = "What the best candidate was believed to hold beyond the chosen one."
    yield Figure("Regret", _tokens(record.regret_tokens), text)
    text = "Cached tokens predicted minus measured: above 0 they were missing."
    yield Figure("Index error", _tokens(record.index_error_tokens), text)
    yield Figure("TTFT error", _signed(record.ttft_error_seconds), "Predicted minus measured: below 0 it took longer.")
    text = "As the client saw it, from the last byte in; unknown when not streamed."
    yield Figure("TTFT", amounts.duration(record.ttft_seconds), text)


def _drawn(figure: go.Figure, key: str, alt: str) -> None:
    legend.above(figure)
    st.plotly_chart(figure, key=key, config=PLAIN, alt=alt)


def _phases(record: DecisionRecord) -> None:
    whole = amounts.duration(record.total_seconds)
    st.markdown(
        f"**Where its time went**: {whole} in all", help="From the last byte in to the last byte out, as the router timed it."
    )
    if not record.phases:
        st.caption("Unknown: the router told no phases of it.")
        return
    told = "; ".join(f"{name} {amounts.duration(record.phases[name])}" for name in outcome.ordered(record.phases))
    _drawn(outcome.spent(record), "phases", f"Phases of the request. {told}")


def _others(record: DecisionRecord) -> None:
    st.markdown("**What the other strategies would have done**")
    if not record.shadows:
        st.caption("They did not decide along on this request: `shadow_share` says on how many they do.")
        return
    alt = "Other strategies' choices"
    st.dataframe(shadows(record), hide_index=True, placeholder=amounts.UNKNOWN, key="shadows", alt=alt, column_config={
        "more cached tokens": _NUMBER(format="localized", help="above 0: its engine was believed to hold more"),
        "sooner by": _NUMBER(format="%.3f s", help="predicted first token; above 0: it would have been faster"),
    })  # fmt: skip


def shadows(record: DecisionRecord) -> pd.DataFrame:
    """What others would have chosen; a gain above 0 says that theirs was the better choice."""
    return pd.DataFrame(
        {
            "strategy": one.strategy,
            "engine": "the same" if one.agrees else one.engine,
            "because": one.reason,
            "more cached tokens": one.gained_tokens,
            "sooner by": one.gained_seconds,
        }
        for one in record.shadows
    )


def _tokens(count: int | None) -> str:
    return amounts.UNKNOWN if count is None else f"{count:,} tokens"


def _signed(seconds: float | None) -> str:
    if seconds is None:
        return amounts.UNKNOWN
    if abs(seconds) < 0.01:
        return f"{seconds * 1000:+.1f} ms"
    return f"{seconds * 1000:+,.0f} ms" if abs(seconds) < 1 else f"{seconds:+.2f} s"
