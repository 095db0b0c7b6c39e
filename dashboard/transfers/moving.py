"""KV between prefill and decode engines: how fast it moves against what the link can carry, and what was late or lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard import amounts, charts, panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.transfers.link import GIGABIT, Link, by_quantity, link, links
from dashboard.wording import plain
from stack.metrics import dpd_queries
from stack.metrics.family import Label

_NO_TRANSFER = "No KV moved between engines in this range. Without disaggregated prefill over NIXL or Mooncake there is none."
_FRESH = "Nothing failed, expired or came late in this range."
_DOUBT = (
    "Nearly every transfer of some engines counts as failed since they started. If requests succeed, NIXL runs without its "
    "telemetry and counts completed transfers so: give the engines a NIXL that has it."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What one reason of failure means for the request: `fate` is one word for it."""

    fate: str
    meaning: str


KINDS = {
    "transfer": Kind("lost", "It failed under way: the decode engine computes the prompt itself, or the request is sent direct."),
    "receive": Kind("lost", "The decode engine could not take it in, and computes the prompt itself."),
    "expired": Kind("lost", "Nobody came for it before the lease ended: the prefill engine gave the blocks to others."),
    "late_notification": Kind(
        "late", "It ended after the lease: the blocks may have held another request's KV, so the answer may be wrong."
    ),
}
UNTOLD = Kind(amounts.UNKNOWN, "A reason that this page does not know.")


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked."""
    where, window = scope.model, scope.window
    return {
        "bandwidth": Over(dpd_queries.bandwidth(where, window)),
        "failures": Over(dpd_queries.failures(where, window)),
        "failed": Now(dpd_queries.failed(where, scope.whole)),
        "links": Now(links(scope)),
    }


def moving(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    """Draw bandwidth beside failures."""
    left, right = st.columns(2)
    with left:
        _bandwidth(answers, scope, marks)
    with right:
        _failures(answers, scope, marks)


def _bandwidth(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    query = dpd_queries.bandwidth(scope.model, scope.window)
    panels.heading("Transfer bandwidth, while KV moves", query, answers)
    given = st.number_input(
        "The link's limit, Gbit/s", min_value=0.0, value=None, step=50.0, key="dpd-link", bind="query-params", width=220,
        placeholder="as the nodes tell",
        help="What one engine's link can carry. Empty: what the exporters on the nodes tell (--collector.fabric).",
    )  # fmt: skip
    try:
        frame = answers.frame("bandwidth")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    limit = _limit(answers, given)
    if frame.empty:
        st.info(_NO_TRANSFER)
    else:
        figure = charts.lines(reader.local(frame), query.by, query.unit, scope.span)
        if limit.limit is not None:
            figure = charts.level(figure, limit.limit, f"link: {limit.limit / GIGABIT:,.0f} Gbit/s")
        alt = f"KV transfer bandwidth over time, in bytes a second. {limit.words}"
        st.plotly_chart(charts.marked(figure, marks), key="bandwidth", config=panels.PLAIN, alt=alt)
    st.caption(plain(limit.words))
    if limit.warning:
        st.warning(limit.warning, icon=":material/warning:")


def _limit(answers: Answers, given: float | None) -> Link:
    try:
        return link(answers.samples("links"), None if not given else given * GIGABIT)
    except PrometheusUnavailableError as error:
        return Link(None if not given else given * GIGABIT, f"What the nodes' links can carry is unknown: {error}.")


def _failures(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    query = dpd_queries.failures(scope.model, scope.window)
    panels.series("Failed, expired and late transfers", query, answers, "failures", scope.span, marks, nothing=_NO_TRANSFER)
    try:
        samples = answers.samples("failed")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    frame = kinds(samples)
    if samples and frame.empty:
        st.success(_FRESH, icon=":material/check_circle:")
    elif not frame.empty:
        st.dataframe(frame, hide_index=True, key="kinds", row_height=56, column_config={
            "kind": st.column_config.TextColumn("kind", help="the reason, as kvdeck_kv_transfer_failures_total has it", width=120),
            "fate": st.column_config.TextColumn("late or lost", width=80),
            "count": st.column_config.TextColumn("in this range", help="increase over the range that is looked at", width=90),
            "meaning": st.column_config.TextColumn("what it means", width=300),
        })  # fmt: skip
    if _doubtful(answers):
        st.warning(_DOUBT, icon=":material/help:")


def _doubtful(answers: Answers) -> bool:
    try:
        return by_quantity(answers.samples("links")).get("doubtful") == 1
    except PrometheusUnavailableError:
        return False  # said beside the bandwidth


def kinds(samples: Iterable[Sample]) -> pd.DataFrame:
    """One row a reason that there was any of, the worst first: what is late may have made an answer wrong."""
    count: dict[str, float] = {}
    for sample in samples:
        reason = sample.labels.get(Label.REASON, "")
        count[reason] = count.get(reason, 0.0) + sample.value
    # Prometheus extrapolates an increase: less than half of one is none.
    seen = {reason: number for reason, number in count.items() if number >= 0.5}
    rows = [
        {"kind": reason, "fate": kind.fate, "count": f"{number:,.0f}", "meaning": kind.meaning}
        for reason, number in seen.items()
        for kind in (KINDS.get(reason, UNTOLD),)
    ]
    return pd.DataFrame(rows).sort_values(["fate", "kind"], ignore_index=True) if rows else pd.DataFrame()
