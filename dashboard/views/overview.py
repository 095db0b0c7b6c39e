"""Overview: is the fleet well, how fast is it, and where did its prompt tokens come from."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import charts, figures, notices, reader, sources
from dashboard.charts import Span
from dashboard.figures import Figure
from dashboard.promapi import PromApi, step_seconds
from dashboard.verdict import Level, verdict
from stack.metrics import queries, routing_queries
from stack.metrics.family import Label
from stack.metrics.promql import total
from stack.metrics.queries import Query
from stack.model.tier import Source

MINUTES = {"5 min": 5, "15 min": 15, "1 h": 60, "6 h": 360}
USUAL = "15 min"
_SHOWN = {
    Level.WELL: (st.success, ":material/check_circle:"),
    Level.WARNING: (st.warning, ":material/warning:"),
    Level.BAD: (st.error, ":material/error:"),
}


def page() -> None:
    """Draw the page."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title("Overview", width="content")
        chosen = st.segmented_control("Range", list(MINUTES), default=USUAL, label_visibility="collapsed", required=True)
    _live(MINUTES[chosen or USUAL])


@st.fragment(run_every=5)
def _live(minutes: int) -> None:
    firing = None
    with notices.told():
        alerts = sources.prometheus().instant(routing_queries.firing_alerts().expr)
        firing = [alert.labels.get("alertname", "?") for alert in alerts]
    _health(firing)
    if firing is None:
        return  # Prometheus is away, as was just said
    with notices.told():
        prometheus, span = sources.prometheus(), reader.span(minutes)
        _figures(prometheus)
        _waterfall(prometheus, span)
        _charts(prometheus, span)
    _links()


def _health(firing: list[str] | None) -> None:
    """One line: whether the fleet is well, and if not, why. Alerts are told without control too."""
    state = None
    with notices.told():
        state = sources.control().state()
    if state is not None:
        said = verdict(state, firing)
        show, icon = _SHOWN[said.level]
        show(f"**{said.headline}** {said.detail}", icon=icon)
    elif firing:
        st.warning(f"**Firing: {', '.join(sorted(set(firing)))}.** The engines' states are unknown.", icon=":material/warning:")


def _figures(prometheus: PromApi) -> None:
    with st.container(horizontal=True):
        for figure in figures.headline(prometheus):
            _metric(figure)


def _metric(figure: Figure) -> None:
    beside = {"delta": figure.beside, "delta_color": "off", "delta_arrow": "off"} if figure.beside else {}
    st.metric(figure.title, figure.value, help=figure.help, width=126, **beside)  # type: ignore[arg-type]  # a dict of options


def _waterfall(prometheus: PromApi, span: Span) -> None:
    query = queries.waterfall(window=_window(span))
    frame = prometheus.series(query.expr, span.start, span.end)
    _heading("Where prompt tokens' KV came from", query.help)
    if frame.empty:
        st.info("No prompt tokens have been counted yet: where they come from is unknown until requests arrive.")
        return
    over_time, now = st.columns([5, 2])
    over_time.plotly_chart(charts.waterfall(reader.local(frame), span), key="waterfall", config=_PLAIN)
    ratios = prometheus.instant(queries.waterfall_shares(window="5m").expr)
    shares = {Source(sample.labels[Label.SOURCE]): sample.value for sample in ratios}
    with now:
        if shares:
            st.plotly_chart(charts.shares(shares), key="shares", config=_PLAIN)
            st.caption("Share of the last 5 minutes")
        else:
            st.caption("No prompt arrived in the last 5 minutes.")


def _charts(prometheus: PromApi, span: Span) -> None:
    window = _window(span)
    left, right = st.columns(2)
    with left:
        _quantiles(prometheus, "Time to first token", [queries.time_to_first_token(q, window=window) for q in _QUANTILES], span)
        _lines(prometheus, "Hit ratio per tier", queries.hit_ratio(window=window), span)
    with right:
        _quantiles(prometheus, "Inter-token latency", [queries.inter_token_latency(q, window=window) for q in _QUANTILES], span)
        _lines(prometheus, "Requests in engines, per pool", _pool_requests(), span)


_QUANTILES = (0.5, 0.95)
_PLAIN = {"displayModeBar": False}


def _quantiles(prometheus: PromApi, title: str, both: list[Query], span: Span) -> None:
    """The middle and the tail of one latency, per path."""
    parts = [
        prometheus.series(query.expr, span.start, span.end).assign(quantile=f"p{q * 100:.0f}")
        for q, query in zip(_QUANTILES, both, strict=True)
    ]
    frame = pd.concat([part for part in parts if not part.empty] or parts[:1])
    _draw(title, both[-1], frame, ["path", "quantile"], span)


def _lines(prometheus: PromApi, title: str, query: Query, span: Span) -> None:
    _draw(title, query, prometheus.series(query.expr, span.start, span.end), list(query.by), span)


def _draw(title: str, query: Query, frame: pd.DataFrame, by: list[str], span: Span) -> None:
    _heading(title, query.help)
    if frame.empty:
        st.info("Nothing to measure in this range.")
    else:
        st.plotly_chart(charts.lines(reader.local(frame), by, query.unit, span), key=title, config=_PLAIN)


def _pool_requests() -> Query:
    """Per pool, not per engine: a fleet of hundreds would be hundreds of lines."""
    each, by = queries.engine_requests(), (Label.POOL, Label.STATE)
    return Query(total(each.expr, by), each.unit, by, "Requests running in and waiting for the engines of each pool.")


def _window(span: Span) -> str:
    """Long enough that nothing falls between two points of a long range."""
    return f"{max(60, step_seconds(span.start, span.end))}s"


def _heading(title: str, help_text: str) -> None:
    st.markdown(f"**{title}**", help=help_text)


def _links() -> None:
    own = sources.settings()
    st.caption(
        f"Every 5 s from [Prometheus]({own.prometheus_url}) and control. Times are {reader.zone()}. "
        f"Alerts: [Alertmanager]({own.alertmanager_url}). Requests go to `{own.router_url}/v1`."
    )
