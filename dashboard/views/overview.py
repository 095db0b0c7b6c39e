"""Overview: is the fleet well, how fast is it, and where did its prompt tokens come from."""

from __future__ import annotations

import streamlit as st

from dashboard import asking, charts, figures, notices, panels, reader, sources
from dashboard.asking import Answers, Over, Question
from dashboard.charts import Span
from dashboard.figures import Figure
from dashboard.marks import Mark, marks
from dashboard.panels import PLAIN
from dashboard.scope import Scope, toolbar
from dashboard.verdict import Level, verdict
from stack.metrics import queries, routing_queries, spread_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where, total
from stack.metrics.queries import Query
from stack.model.tier import Source

_SHOWN = {
    Level.WELL: (st.success, ":material/check_circle:"),
    Level.WARNING: (st.warning, ":material/warning:"),
    Level.BAD: (st.error, ":material/error:"),
}


def page() -> None:
    """Draw the page."""
    scope = toolbar("Overview")
    scope.live(_live, scope)


def _live(scope: Scope) -> None:
    span = scope.span
    answers = None
    with notices.told():
        answers = asking.ask(_questions(scope), span)
    _health(answers)
    if answers is None:
        return  # Prometheus is away, as was just said
    changes = marks(span)
    with notices.told():
        _figures(answers)
        _waterfall(answers, scope, span, changes)
    _charts(answers, scope, span, changes)
    panels.footer(answers, scope.refresh)
    _links()


def _questions(scope: Scope) -> dict[str, Question]:
    where, window = scope.model, scope.window
    return {
        "firing": asking.Now(routing_queries.firing_alerts(scope.fleet)),
        **figures.questions(where),
        "waterfall": Over(queries.waterfall(where, window)),
        "shares": asking.Now(queries.waterfall_shares(where, figures.WINDOW)),
        "ttft": Over(spread_queries.time_to_first_token(where, window)),
        "itl": Over(spread_queries.inter_token_latency(where, window)),
        "hit ratio": Over(queries.hit_ratio(where, window)),
        "pools": Over(_pool_requests(where)),
    }


def _health(answers: Answers | None) -> None:
    """One line: whether the fleet is well, and if not, why. Alerts are told without control too."""
    firing = None
    with notices.quiet():
        firing = None if answers is None else [alert.labels.get("alertname", "?") for alert in answers.samples("firing")]
    state = None
    with notices.told():
        state = sources.state()
    if state is not None:
        said = verdict(state, firing)
        show, icon = _SHOWN[said.level]
        show(f"**{said.headline}** {said.detail}", icon=icon)
    elif firing:
        st.warning(f"**Firing: {', '.join(sorted(set(firing)))}.** The engines' states are unknown.", icon=":material/warning:")


def _figures(answers: Answers) -> None:
    with st.container(horizontal=True):
        for figure in figures.headline(answers):
            _metric(figure)


def _metric(figure: Figure) -> None:
    beside = {"delta": figure.beside, "delta_color": "off", "delta_arrow": "off"} if figure.beside else {}
    st.metric(figure.title, figure.value, help=figure.help, width=126, **beside)  # type: ignore[arg-type]  # a dict of options


def _waterfall(answers: Answers, scope: Scope, span: Span, changes: list[Mark]) -> None:
    query, frame = queries.waterfall(scope.model, scope.window), answers.frame("waterfall")
    panels.heading("Where prompt tokens' KV came from", query, answers)
    if frame.empty:
        st.info("No prompt tokens have been counted yet: where they come from is unknown until requests arrive.")
        return
    over_time, now = st.columns([5, 2])
    figure = charts.marked(charts.waterfall(reader.local(frame), span), changes)
    over_time.plotly_chart(figure, key="waterfall", config=PLAIN, alt=f"Prompt tokens a second by source. {query.help}")
    shares = {Source(sample.labels[Label.SOURCE]): sample.value for sample in answers.samples("shares")}
    with now:
        if shares:
            alt = ", ".join(f"{source} {share:.0%}" for source, share in shares.items())
            st.plotly_chart(charts.shares(shares), key="shares", config=PLAIN, alt=f"Shares of the last 5 minutes: {alt}")
            st.caption("Share of the last 5 minutes")
        else:
            st.caption("No prompt arrived in the last 5 minutes.")


def _charts(answers: Answers, scope: Scope, span: Span, changes: list[Mark]) -> None:
    where, window = scope.model, scope.window
    left, right = st.columns(2)
    with left:
        panels.series("Time to first token", spread_queries.time_to_first_token(where, window), answers, "ttft", span, changes)
        panels.series("Hit ratio per tier", queries.hit_ratio(where, window), answers, "hit ratio", span, changes)
    with right:
        panels.series("Inter-token latency", spread_queries.inter_token_latency(where, window), answers, "itl", span, changes)
        panels.series("Requests in engines, per pool", _pool_requests(where), answers, "pools", span, changes)


def _pool_requests(where: Where) -> Query:
    """Per pool, not per engine: a fleet of hundreds would be hundreds of lines."""
    each, by = queries.engine_requests(where), (Label.POOL, Label.STATE)
    return Query(total(each.expr, by), each.unit, by, "Requests running in and waiting for the engines of each pool.")


def _links() -> None:
    own = sources.settings()
    st.caption(f"Alerts: [Alertmanager]({own.alertmanager_url}). Requests go to `{own.router_url}/v1`.")
