"""What the other strategies would have been worth, over the decisions on which they decided along."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

import pandas as pd

from stack.control.decision import DecisionRecord, ShadowChoice

DECIDED, AGREED, TOKENS, SECONDS = "decided along", "agreed", "more cached tokens", "sooner by"
HELP = {
    AGREED: "on which engine computes the prompt",
    TOKENS: "on average, where both engines' caches were known; above 0 the other strategy would have found more",
    SECONDS: "predicted first token, on average; above 0 the other strategy would have been faster",
}


def compared(decisions: Iterable[DecisionRecord]) -> pd.DataFrame:
    """A row a strategy, by name; empty when none decided along."""
    shadows: dict[str, list[ShadowChoice]] = {}
    for decision in decisions:
        for shadow in decision.shadows:
            shadows.setdefault(shadow.strategy, []).append(shadow)
    return pd.DataFrame([_row(strategy, shadows[strategy]) for strategy in sorted(shadows)])


def _row(strategy: str, made: list[ShadowChoice]) -> dict[str, object]:
    return {
        "strategy": strategy,
        DECIDED: len(made),
        AGREED: 100.0 * fmean(shadow.agrees for shadow in made),
        TOKENS: _mean(shadow.gained_tokens for shadow in made),
        SECONDS: _mean(shadow.gained_seconds for shadow in made),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
