"""The list of decisions, newest first. It moves on by itself; the row that is explained stays the one that is marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard import amounts, links, reader
from dashboard.deciding.filters import REQUEST
from dashboard.deciding.shortened import shortened
from stack.control.decision import DecisionRecord

_CLICKED, _MOVED, _NAMED = "decision clicked", "decision chosen", "decisions named"
_NAME = 15  # characters
_SHOWN = "\N{BLACK RIGHT-POINTING TRIANGLE}"
_NUMBER, _TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
_COLUMNS = {
    "": _TEXT("", width=32, pinned=True, help="the one that is explained"),
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
    "TTFT": _NUMBER("TTFT", format="%.0f ms", help="time to first token as the client saw it; not known when not streamed"),
    "total": _NUMBER("total", format="%.0f ms", help="from the last byte in to the last byte out"),
    "generation": _TEXT("generation", help="of the desired state it was decided by"),
    "link": st.column_config.LinkColumn(
        "link", display_text=":material/link:", help="to this decision, explained: open it or copy it"
    ),
}


def draw(decisions: Sequence[DecisionRecord]) -> None:
    """The list; a click on a request has that decision explained."""
    if st.session_state.pop(_MOVED, False):
        st.rerun()  # what explains it lies beyond this fragment, and the URL is to name it
    st.caption(f"Newest first; click one to have it explained. Times are {reader.zone()}.")
    names = named([decision.request_id for decision in decisions])
    # Of the list before as well: a click may be on what has just moved on.
    st.session_state[_NAMED] = [*st.session_state.get(_NAMED, [])[-1:], {name: request_id for request_id, name in names.items()}]
    button = st.column_config.ButtonColumn(
        "request", width=136, pinned=True, key=_CLICKED, on_click=_choose, type="tertiary", alignment="left",
        help="its x-request-id; a click explains the decision",
    )  # fmt: skip
    st.dataframe(
        table(decisions, names, st.session_state.get(REQUEST)), hide_index=True, height=390, key="decisions",
        placeholder=amounts.UNKNOWN, column_config={"request": button, **_COLUMNS}, alt="Routing decisions, newest first",
    )  # fmt: skip


def named(request_ids: Sequence[str]) -> Mapping[str, str]:
    """Each id's short name: whole where two would be named alike. By a row's number a click would find another one."""
    short = {request_id: shortened(request_id, _NAME) for request_id in request_ids}
    times = Counter(short.values())
    return {request_id: name if times[name] == 1 else request_id for request_id, name in short.items()}


def _choose() -> None:
    name = st.session_state[_CLICKED]["label"]
    st.session_state[REQUEST] = next((names[name] for names in reversed(st.session_state[_NAMED]) if name in names), name)
    st.session_state[_MOVED] = True


def table(decisions: Sequence[DecisionRecord], names: Mapping[str, str], shown: str | None = None) -> pd.DataFrame:
    """Decisions as rows, that of the request `shown` with a mark; what is not known is no value."""
    return pd.DataFrame(
        {"": _SHOWN if one.request_id == shown else "", "request": names[one.request_id], **_row(one)} for one in decisions
    )


def _row(decision: DecisionRecord) -> dict[str, object]:
    return {
        "at": reader.moment(decision.at),
        "path": f"{decision.path}, observed" if decision.observed else decision.path,
        "prefill engine": decision.prefill_engine or "",
        "engine": decision.engine,
        "strategy": decision.decode.strategy,
        "reason": decision.decode.reason,
        "path because": decision.path_reason,
        "fallback": ", ".join(decision.fallbacks),
        "prompt tokens": f"{'' if decision.tokens_exact else '~'}{decision.prompt_tokens}",
        "cached tokens": decision.cached_tokens,
        "expected": decision.decode.expected_cached_tokens,
        "TTFT": _milliseconds(decision.ttft_seconds),
        "total": _milliseconds(decision.total_seconds),
        "status": str(decision.status),
        "error": decision.error or "",
        "generation": str(decision.generation),
        "link": address(decision.request_id),
    }


def address(request_id: str) -> str:
    """The URL under which this page explains the decision, to anybody who may look."""
    return f"{st.context.url or ''}?{urlencode(links.query({REQUEST: request_id}))}"


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000
