"""What a change came to: requests before it beside those that it decided."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from dashboard import amounts, asking, notices, sources
from dashboard.asking import Now
from dashboard.charts import Span
from dashboard.wording import plain
from stack.api.answers import ControlAnswerError
from stack.api.report_words import figure, money, name, settling, share, verdict
from stack.api.tier_shares import TierShare, tier_shares
from stack.control.estimate import CONFIDENCE
from stack.control.report import TIERS_UNKNOWN, Report, Side, Verdict
from stack.metrics.queries import Query

NOT_FOUND = 404
_ICONS = {Verdict.BETTER: "🟢", Verdict.WORSE: "🔴", Verdict.CHANGED: "🟡"}


def outcome(generation: int) -> None:
    """Draw the report of the change that made `generation`, or say why there is none."""
    with notices.told():
        try:
            reports = sources.control().report(generation).reports
        except ControlAnswerError as error:
            if error.status != NOT_FOUND:
                raise
            st.caption(f"No report: {plain(error.message)}.")
            return
        for report in reports:
            _report(report)


def rows(report: Report) -> pd.DataFrame:
    """One row a quantity."""
    return pd.DataFrame([{
        "what": name(row.quantity),
        "before": figure(row.quantity, row.before),
        "after": figure(row.quantity, row.after),
        "difference": "" if row.verdict is Verdict.UNKNOWN else figure(row.quantity, row.difference, signed=True),
        "verdict": f"{_ICONS.get(row.verdict, '')} {verdict(row.verdict)}".strip(),
    } for row in report.rows])  # fmt: skip


def tiers(shares: list[TierShare]) -> pd.DataFrame:
    """One row a source."""
    return pd.DataFrame([{"source": one.source.value, "before": share(one.before), "after": share(one.after)} for one in shares])


def _report(report: Report) -> None:
    settled = settling(report)
    state = "" if report.complete else " Requests are still being added."
    st.markdown(
        f"**{plain(report.model)}**: {_side(report.before)} before, {_side(report.after)} after; {settled}, "
        f"{report.settling} until then left out.{state}"
    )
    st.dataframe(rows(report), hide_index=True, height="content", key=f"report-{report.generation}-{report.model}")
    st.caption(
        f"Intervals of {amounts.percent(CONFIDENCE)}. Of twenty figures that nothing changed, one is expected to be told apart."
    )
    st.caption(f"A million tokens cost {money(report.cost_before)} before, {money(report.cost_after)} after.")
    for note in report.notes:
        if note != TIERS_UNKNOWN:  # here they are
            st.caption(plain(note))
    with notices.told():
        shares = list(tier_shares(report, _ask))
        st.markdown("Prompt tokens by where their KV came from")
        st.dataframe(tiers(shares), hide_index=True, key=f"tiers-{report.generation}-{report.model}")


def _ask(expression: str, at: float) -> list[tuple[Mapping[str, str], float]]:
    moment = datetime.fromtimestamp(at, UTC)
    answers = asking.ask({"then": Now(Query(expression, "", (), ""))}, Span(moment, moment))
    return [(sample.labels, sample.value) for sample in answers.samples("then")]


def _side(side: Side) -> str:
    rate = "" if side.per_second is None else f" ({side.per_second:.2f} a second)"
    return f"{side.requests:,} requests{rate}"
