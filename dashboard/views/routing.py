"""Routing: the live flow of requests, and recent decisions with their reasons."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import charts, notices, sources
from stack.control.link import DecisionRecord

SHOWN = 500


def page() -> None:
    """Draw the page."""
    st.title("Routing")
    st.caption("Where requests went and why, from the routers' own records; newest first.")
    _live()


@st.fragment(run_every=3)
def _live() -> None:
    with notices.told():
        view = sources.control().decisions(limit=SHOWN)
        if not view.decisions:
            st.info("No request has been routed yet. Send one to the router, or start traffic with `kvdeck start traffic`.")
            return
        _flow(view.decisions)
        _fallbacks(view.decisions)
        _table(view.decisions)
        if view.dropped:
            st.warning(f"{view.dropped} records were dropped on the way: the picture is incomplete.")


def way(decision: DecisionRecord) -> list[str]:
    """The stations of one request: strategy, path, prefill engine if any, decode engine."""
    prefill = [decision.prefill_engine] if decision.prefill_engine else []
    return [decision.strategy, decision.path, *prefill, decision.engine]


def _flow(decisions: tuple[DecisionRecord, ...]) -> None:
    title = f"The last {len(decisions)} requests: strategy, path, engines"
    st.plotly_chart(charts.flow([way(decision) for decision in decisions], title), key="flow")


def _fallbacks(decisions: tuple[DecisionRecord, ...]) -> None:
    reasons = pd.Series([decision.fallback for decision in decisions if decision.fallback], dtype=str).value_counts()
    if reasons.empty:
        st.success(f"None of these {len(decisions)} requests needed a fallback.", icon=":material/check:")
    else:
        told = ", ".join(f"{count} x `{reason}`" for reason, count in reasons.items())
        st.warning(f"Not served the way the configuration asks for: {told}.", icon=":material/alt_route:")


def _table(decisions: tuple[DecisionRecord, ...]) -> None:
    st.dataframe(table(decisions), hide_index=True, height=420, column_config={
        "at": st.column_config.DatetimeColumn("at", format="HH:mm:ss"),
        "prompt": st.column_config.NumberColumn("prompt tokens", help="~ marks an estimate from the prompt's bytes"),
        "TTFT": st.column_config.NumberColumn("TTFT", format="%.0f ms", help="as the client saw it; empty when not streamed"),
        "cached": st.column_config.NumberColumn("cached tokens", help="as the engine reported it; empty when it did not"),
    })  # fmt: skip


def table(decisions: tuple[DecisionRecord, ...]) -> pd.DataFrame:
    """Decisions as rows; what is not known stays empty."""
    rows = [
        {
            "at": pd.Timestamp(decision.at, unit="s", tz="UTC"),
            "strategy": decision.strategy,
            "path": decision.path,
            "engine": decision.engine,
            "prefill engine": decision.prefill_engine,
            "reason": decision.reason,
            "fallback": decision.fallback,
            "prompt": decision.prompt_tokens,
            "cached": decision.cached_tokens,
            "expected": decision.expected_cached_tokens,
            "TTFT": None if decision.ttft_seconds is None else decision.ttft_seconds * 1000,
            "status": decision.status,
            "generation": decision.generation,
            "request": decision.request_id,
        }
        for decision in decisions
    ]
    return pd.DataFrame(rows)
