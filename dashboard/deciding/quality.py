"""How good choices were, over time: regret, the index's errors, agreement of the other strategies, fallbacks."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.asking import Answers, Now, Over, Question
from dashboard.deciding import fallbacks
from dashboard.marks import Mark
from dashboard.scope import Scope
from stack.metrics import quality_queries, routing_queries

_SHADOWS = "No other strategy decided along in this range: `shadow_share` says on how many requests they do."


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked for `draw`."""
    where, window = scope.model, scope.window
    return {
        "regret": Over(quality_queries.regret(where, window)),
        "index error": Over(quality_queries.index_error(where, window)),
        "ttft error": Over(quality_queries.ttft_error(where, window)),
        "agreement": Over(quality_queries.agreement(where, window)),
        "fallbacks": Over(routing_queries.fallbacks(where, window)),
        "reasons": Over(routing_queries.decision_reasons(where, window)),
        "observed hits": Over(quality_queries.observed_hits(where, window)),
        fallbacks.NOW: Now(fallbacks.query(where)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Six panels, two beside each other, and one more where another gateway's requests are decided along."""
    where, window, span = scope.model, scope.window, scope.span
    left, right = st.columns(2)
    with left:
        panels.series("Regret", quality_queries.regret(where, window), answers, "regret", span, changes)
        panels.series("Agreement of the other strategies", quality_queries.agreement(where, window), answers, "agreement", span,
                      changes, nothing=_SHADOWS)  # fmt: skip
        panels.series("Fallbacks by reason", routing_queries.fallbacks(where, window), answers, "fallbacks", span, changes,
                      nothing="No fallback was counted in this range.")  # fmt: skip
        fallbacks.now(answers, where)
    with right:
        panels.series("Index error", quality_queries.index_error(where, window), answers, "index error", span, changes)
        panels.series(
            "Error of the predicted first token", quality_queries.ttft_error(where, window), answers, "ttft error", span, changes
        )
        panels.series("Why engines were chosen", routing_queries.decision_reasons(where, window), answers, "reasons", span, changes)
    if not answers.frame("observed hits").empty:
        query = quality_queries.observed_hits(where, window)
        panels.series("Cached tokens of mirrored requests, by strategy", query, answers, "observed hits", span, changes)
