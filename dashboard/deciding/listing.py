"""The list of decisions, newest first. It moves on by itself; the row that is explained stays the one that is marked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard import links, reader
from dashboard.deciding.wanted import REQUEST
from stack.control.decision import DecisionRecord

_KEY = "decisions"
_PICKED = "decision picked"
_NUMBER, _TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
_COLUMNS = {
    "at": st.column_config.DatetimeColumn("at", format="HH:mm:ss", help="when it was decided"),
    "path": _TEXT("path", help="observed: another gateway carried it out, this is what would have been done"),
    "prefill engine": _TEXT("prefill engine", help="the one that computed the prompt, on the path dpd"),
    "engine": _TEXT("engine", help="the one that answered"),
    "reason": _TEXT("reason", help="why this engine, in the strategy's word"),
    "path because": _TEXT("path because", help="why this path"),
    "fallback": _TEXT("fallback", help="what was not as the configuration asks for"),
    "prompt tokens": _TEXT("prompt tokens", help="~ marks an estimate from the prompt's bytes"),
    "cached tokens": _NUMBER("cached tokens", help="as the engine reported them", format="localized"),
    "expected": _NUMBER("expected cached", help="tokens, as the strategy predicted them", format="localized"),
    "TTFT": _NUMBER("TTFT", format="%.0f ms", help="time to first token as the client saw it; empty when not streamed"),
    "total": _NUMBER("total", format="%.0f ms", help="from the last byte in to the last byte out"),
    "generation": _TEXT("generation", help="of the desired state it was decided by"),
    "link": st.column_config.LinkColumn(
        "link", display_text=":material/link:", help="to this decision, explained: open it or copy it"
    ),
}


def draw(decisions: Sequence[DecisionRecord]) -> None:
    """The list; picking a row has that decision explained."""
    if st.session_state.pop(_PICKED, False):
        st.rerun()  # what explains it lies beyond this fragment, and the URL is to name it
    st.caption(f"Newest first; pick one to have it explained. Times are {reader.zone()}; an empty cell is a value nobody reported.")
    listed = [decision.request_id for decision in decisions]
    _mark(listed)
    st.dataframe(
        table(decisions), hide_index=True, height=390, placeholder="", key=_KEY, selection_mode="single-row",
        on_select=partial(_pick, listed), column_config=_COLUMNS, alt="Routing decisions, newest first",
    )  # fmt: skip


def _mark(listed: Sequence[str]) -> None:
    """Mark the row of the decision that is explained, wherever it has moved; none when it is gone from the list."""
    asked = st.session_state.get(REQUEST)
    rows = [listed.index(asked)] if asked in listed else []
    if _marked() != rows:
        st.session_state[_KEY] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def _marked() -> list[int]:
    kept = st.session_state.get(_KEY)
    return [] if kept is None else list(kept["selection"]["rows"])


def _pick(listed: Sequence[str]) -> None:
    """What is marked is what is explained; nothing, when the mark was taken away."""
    rows = [row for row in _marked() if row < len(listed)]
    st.session_state[REQUEST] = listed[rows[0]] if rows else ""
    st.session_state[_PICKED] = True


def table(decisions: Sequence[DecisionRecord]) -> pd.DataFrame:
    """Decisions as rows; what is not known stays empty."""
    return pd.DataFrame([_row(decision) for decision in decisions])


def _row(decision: DecisionRecord) -> dict[str, object]:
    return {
        "at": reader.moment(decision.at),
        "path": f"{decision.path}, observed" if decision.observed else decision.path,
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
        "link": address(decision.request_id),
        "request": decision.request_id,
    }


def address(request_id: str) -> str:
    """The URL under which this page explains the decision, to anybody who may look."""
    return f"{st.context.url or ''}?{urlencode(links.query({REQUEST: request_id}))}"


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
