"""Routing: the live flow of requests, and recent decisions with their reasons."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from dashboard import compared, explained, flow, notices, reader, sources
from dashboard.scope import toolbar
from stack.api.answers import ControlAnswerError
from stack.api.schema import DecisionsView
from stack.control.decision import DecisionRecord
from stack.model.tier import Path

SHOWN = (100, 500)
ANY = "any"
NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which decisions to show; `path` None is any."""

    limit: int
    path: str | None
    engine: str | None
    fallbacks_only: bool


def page() -> None:
    """Draw the page."""
    scope = toolbar("Routing")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        limit = st.segmented_control("Last requests", SHOWN, default=SHOWN[0], required=True, width="content")
        path = st.segmented_control("Path", [ANY, *Path], default=ANY, required=True, width="content")
        engine = st.text_input("Engine", placeholder="any, such as decode-0", width=220)
        st.text_input("Explain request", placeholder="its x-request-id", width=260, key="asked")
        fallbacks_only = st.toggle("Fallbacks only", width="content")
    scope.live(_live, Wanted(limit or SHOWN[0], None if path == ANY else path, engine.strip() or None, fallbacks_only))


def _live(wanted: Wanted) -> None:
    with notices.told():
        view = sources.control().decisions(limit=wanted.limit, path=wanted.path, engine=wanted.engine)
        decisions = [one for one in view.decisions if one.fallbacks or not wanted.fallbacks_only]
        if decisions:
            _show(decisions)
        else:
            _nothing(view, wanted)
        _explain()
        if view.dropped:
            st.warning(f"{view.dropped} records were dropped on the way: the picture is incomplete.")
        if view.files is not None and (view.files.error or view.files.lost):
            st.warning(f"{view.files.lost} decisions are not in {view.files.folder}: {view.files.error or 'mended since'}.")


def _nothing(view: DecisionsView, wanted: Wanted) -> None:
    if view.decisions:
        st.success(f"None of the last {len(view.decisions)} requests needed a fallback.", icon=":material/check_circle:")
    elif wanted.path or wanted.engine:
        st.info("No recent request went this way.")
    else:
        st.info("No request has been routed yet. Send one to the router, or start traffic with `kvdeck start traffic`.")


def _show(decisions: list[DecisionRecord]) -> None:
    oldest = reader.moment(decisions[-1].at)
    st.markdown(f"**Strategy, path, engines: {len(decisions)} requests since {oldest:%H:%M:%S}**")
    st.plotly_chart(flow.picture(decisions, reader.ink()), key="flow", config={"displayModeBar": False})
    _fallbacks(decisions)
    _others(decisions)
    _table(decisions)


def _fallbacks(decisions: list[DecisionRecord]) -> None:
    reasons = Counter(reason for decision in decisions for reason in decision.fallbacks)
    if not reasons:
        st.success(f"None of these {len(decisions)} requests needed a fallback.", icon=":material/check_circle:")
        return
    parts = ", ".join(f"{count} x `{reason}`" for reason, count in reasons.most_common())
    st.warning(f"Not served the way the configuration asks for: {parts}.", icon=":material/alt_route:")


def _others(decisions: list[DecisionRecord]) -> None:
    frame = compared.compared(decisions)
    if frame.empty:
        return
    with st.expander("What the other strategies would have done"):
        st.dataframe(frame, hide_index=True, placeholder="", key="others", column_config={
            compared.AGREED: st.column_config.NumberColumn(format="%.0f %%", help=compared.HELP[compared.AGREED]),
            compared.TOKENS: st.column_config.NumberColumn(format="%.0f", help=compared.HELP[compared.TOKENS]),
            compared.SECONDS: st.column_config.NumberColumn(format="%.3f s", help=compared.HELP[compared.SECONDS]),
        })  # fmt: skip


def _table(decisions: list[DecisionRecord]) -> None:
    st.caption(f"Newest first; pick one to have it explained. Times are {reader.zone()}; an empty cell is a value nobody reported.")
    key = f"decisions {st.session_state.setdefault('picks', 0)}"
    pick = partial(_pick, key, [decision.request_id for decision in decisions])
    st.dataframe(table(decisions), hide_index=True, height=390, placeholder="", key=key, on_select=pick,
                 selection_mode="single-row", column_config={
        "at": st.column_config.DatetimeColumn("at", format="HH:mm:ss"),
        "engine": st.column_config.TextColumn("engine", help="the one that answered"),
        "reason": st.column_config.TextColumn("reason", help="why this engine, in the strategy's word"),
        "path because": st.column_config.TextColumn("path because", help="why this path"),
        "prompt tokens": st.column_config.TextColumn("prompt tokens", help="~ marks an estimate from the prompt's bytes"),
        "cached tokens": st.column_config.NumberColumn("cached tokens", help="as the engine reported them"),
        "expected": st.column_config.NumberColumn("expected cached", help="tokens, as the strategy predicted them"),
        "TTFT": st.column_config.NumberColumn("TTFT", format="%.0f ms", help="as the client saw it; empty when not streamed"),
        "total": st.column_config.NumberColumn("total", format="%.0f ms", help="from the last byte in to the last byte out"),
    })  # fmt: skip


def _pick(key: str, listed: list[str]) -> None:
    """Remember which decision it was, and begin without a selection again: the list moves on under it."""
    rows = st.session_state[key].selection.rows
    if rows and rows[0] < len(listed):
        st.session_state["explained"] = listed[rows[0]]
        st.session_state["picks"] += 1


def _explain() -> None:
    request_id = st.session_state.get("asked", "").strip() or st.session_state.get("explained")
    if request_id is None:
        return
    with notices.told():
        try:
            explained.draw(sources.control().decision(request_id))
        except ControlAnswerError as error:
            if error.status != NOT_FOUND:
                raise
            st.info(error.message)


def table(decisions: list[DecisionRecord]) -> pd.DataFrame:
    """Decisions as rows; what is not known stays empty."""
    return pd.DataFrame([_row(decision) for decision in decisions])


def _row(decision: DecisionRecord) -> dict[str, object]:
    return {
        "at": reader.moment(decision.at),
        "path": decision.path,
        "prefill engine": decision.prefill_engine,
        "engine": decision.engine,
        "strategy": decision.decode.strategy,
        "reason": decision.decode.reason,
        "path because": decision.path_reason,
        "fallback": ", ".join(decision.fallbacks) or None,
        "prompt tokens": f"{'' if decision.tokens_exact else '~'}{decision.prompt_tokens}",
        "cached tokens": decision.cached_tokens,
        "expected": decision.decode.expected_cached_tokens,
        "TTFT": _milliseconds(decision.ttft_seconds),
        "total": _milliseconds(decision.total_seconds),
        "status": str(decision.status),
        "error": decision.error,
        "generation": str(decision.generation),
        "request": decision.request_id,
    }


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
