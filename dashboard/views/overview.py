"""Overview: is the fleet well, how fast is it, and where did its prompt tokens come from."""

from __future__ import annotations

import streamlit as st

from dashboard import charts, notices, sources
from dashboard.promapi import PromApi
from dashboard.verdict import Level, verdict
from stack.metrics import queries
from stack.metrics.queries import Query
from stack.model.tier import Path, Tier

MINUTES = {"5 minutes": 5, "15 minutes": 15, "1 hour": 60, "6 hours": 360}


def page() -> None:
    """Draw the page."""
    st.title("Overview")
    minutes = MINUTES[
        st.segmented_control("Range", list(MINUTES), default="15 minutes", label_visibility="collapsed") or "15 minutes"
    ]
    _live(minutes)


@st.fragment(run_every=5)
def _live(minutes: int) -> None:
    _health()
    with notices.told():
        prometheus = sources.prometheus()
        _figures(prometheus)
        _waterfall(prometheus, minutes)
        left, right = st.columns(2)
        with left:
            _lines(prometheus, queries.time_to_first_token(0.95), minutes, "Time to first token, p95")
        with right:
            _lines(prometheus, queries.inter_token_latency(0.95), minutes, "Inter-token latency, p95")
        with left:
            _lines(prometheus, queries.hit_ratio(), minutes, "Hit ratio per tier")
        with right:
            _lines(prometheus, queries.engine_requests(), minutes, "Requests in engines")


def _health() -> None:
    """One line: whether the fleet is well, and if not, why."""
    with notices.told():
        state = sources.control().state()
        alerts = sources.prometheus().instant('ALERTS{alertstate="firing"}')
        said = verdict(state, [alert.labels.get("alertname", "?") for alert in alerts])
        _SHOWN[said.level](f"**{said.headline}** {said.detail}")


_SHOWN = {Level.WELL: st.success, Level.WARNING: st.warning, Level.BAD: st.error}


def _figures(prometheus: PromApi) -> None:
    """The numbers of the last minute; what did not happen has no number."""
    by_code = {sample.labels.get("code", ""): sample.value for sample in prometheus.instant(queries.requests().expr)}
    rate = sum(by_code.values()) if by_code else None
    errors = sum(value for code, value in by_code.items() if code == "5xx") / rate if rate else None
    ratios = {sample.labels["tier"]: sample.value for sample in prometheus.instant(queries.hit_ratio(window="5m").expr)}
    columns = st.columns(4 + len(Tier))
    columns[0].metric("Requests", notices.number(rate, "{:.2f}/s"), help="Answered in the last minute, all paths.")
    columns[1].metric("Errors", notices.percent(errors), help="Share of 5xx in the last minute; unknown without requests.")
    for column, title, query in (
        (columns[2], "TTFT p50", queries.time_to_first_token(0.5, window="5m")),
        (columns[3], "ITL p50", queries.inter_token_latency(0.5, window="5m")),
    ):
        paths = {sample.labels["path"]: sample.value for sample in prometheus.instant(query.expr)}
        column.metric(title, notices.seconds(paths.get(Path.DIRECT.value)), help=f"Direct path, last 5 minutes. {query.help}")
    for column, tier in zip(columns[4:], Tier, strict=True):
        column.metric(
            f"{tier.value} hits", notices.percent(ratios.get(tier.value)), help=f"Last 5 minutes. {queries.hit_ratio().help}"
        )


def _waterfall(prometheus: PromApi, minutes: int) -> None:
    query = queries.waterfall()
    frame = prometheus.series(query.expr, minutes)
    if frame.empty:
        st.info("No prompt tokens have been counted yet: where they come from is unknown until requests arrive.")
        return
    st.plotly_chart(charts.waterfall(frame, "Where prompt tokens' KV came from"), key="waterfall")
    st.caption(query.help)


def _lines(prometheus: PromApi, query: Query, minutes: int, title: str) -> None:
    frame = prometheus.series(query.expr, minutes)
    if frame.empty:
        st.info(f"{title}: nothing to measure in this range.")
        return
    st.plotly_chart(charts.lines(frame, query.by, query.unit, title), key=title)
