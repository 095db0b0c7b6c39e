"""What was not served as the configuration asks for: of late by the routers' counters, and among the decisions shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import amounts, panels
from dashboard.asking import Answers
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.sites import Site
from dashboard.wording import code
from stack.control.decision import DecisionRecord
from stack.metrics import balance_queries, quality_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where
from stack.metrics.queries import Query

NOW = "fallback shares"
_ICON = ":material/alt_route:"


def query(where: Where) -> Query:
    """What is to be asked for `now`."""
    return quality_queries.fallback_shares(where, balance_queries.SPAN)


def now(answers: Answers, where: Where) -> None:
    """The share of the last ten minutes' requests, by reason."""
    try:
        shares = worst(answers.samples(NOW))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    told = f"Of the last ten minutes' requests: {words(shares)}."
    st.caption(told, help=panels.provenance(query(where), answers))
    if shares is not None and (all_of_them := sum(shares.values())) > quality_queries.FALLBACKS_SHARE:
        bound = f"more than the {amounts.percent(quality_queries.FALLBACKS_SHARE)} beyond which KvdeckRoutingFallbacks fires"
        st.warning(f"{amounts.percent(all_of_them)} were not served as configured, {bound}.", icon=_ICON)


def words(shares: Mapping[str, float] | None) -> str:
    """`shares` by reason, None where no request came."""
    if shares is None:
        return "none came, so nothing is known of fallbacks"
    if not any(shares.values()):
        return "none needed a fallback"
    parts = (
        f"{amounts.percent(share)} {code(reason)}" for reason, share in sorted(shares.items(), key=lambda one: -one[1]) if share
    )
    return ", ".join(parts)


def worst(samples: Sequence[Sample]) -> Mapping[str, float] | None:
    """Shares by reason, of several fleets' the one with the most fallbacks; None where no request came."""
    fleets: dict[Site, dict[str, float]] = {}
    for sample in samples:
        fleets.setdefault(Site.of(sample.labels), {})[sample.labels.get(Label.REASON, "")] = sample.value
    return max(fleets.values(), key=lambda shares: sum(shares.values()), default=None)


def among(decisions: Sequence[DecisionRecord]) -> None:
    """How many of `decisions`, by reason."""
    reasons = Counter(reason for decision in decisions for reason in decision.fallbacks)
    if not reasons:
        st.success(f"None of these {len(decisions)} requests needed a fallback.", icon=":material/check_circle:")
        return
    parts = ", ".join(f"{count} x {code(reason)}" for reason, count in reasons.most_common())
    st.warning(f"Not served the way the configuration asks for: {parts}.", icon=_ICON)
