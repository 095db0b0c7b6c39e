"""Service level objectives, as the recording rules of alerts/rules/objectives tell them: what was missed, and what may be."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, matchers, named
from stack.metrics.queries import Query


class Objective(StrEnum):
    """What is asked of a fleet."""

    TTFT = "ttft"
    ITL = "itl"
    REQUEST = "request"


_MISSED: Mapping[Objective, str] = {
    Objective.TTFT: "kvdeck:slo_ttft_missed:ratio_rate",
    Objective.ITL: "kvdeck:slo_itl_missed:ratio_rate",
    Objective.REQUEST: "kvdeck:slo_request_failed:ratio_rate",
}
_BUDGETS: Mapping[Objective, str] = {
    Objective.TTFT: "kvdeck:slo_ttft_budget:ratio",
    Objective.ITL: "kvdeck:slo_itl_budget:ratio",
    Objective.REQUEST: "kvdeck:slo_request_budget:ratio",
}
_BOUNDS: Mapping[Objective, str] = {
    Objective.TTFT: "kvdeck:slo_ttft_objective:seconds",
    Objective.ITL: "kvdeck:slo_itl_objective:seconds",
}
SERIES = (*(f"{name}6h" for name in _MISSED.values()), *_BUDGETS.values(), *_BOUNDS.values())
"""Those that rules must record, as these questions name them."""
WINDOWS: Mapping[str, float] = {"5m": 300.0, "30m": 1800.0, "1h": 3600.0, "6h": 21_600.0}
"""What was missed is recorded over these, in seconds."""
_BY = (Label.MODEL_NAME, Label.OBJECTIVE)


def window_within(seconds: float) -> str:
    """The longest window that is no longer than `seconds`, else the shortest."""
    return max((name for name, length in WINDOWS.items() if length <= seconds), key=WINDOWS.__getitem__, default="5m")


def missed(where: Where = EVERYWHERE, window: str = "6h") -> Query:
    """`window` is one of WINDOWS."""
    text = "Share of requests whose first token came late, of tokens that came late, and of requests that failed, as engines count."
    return Query(_all({objective: f"{name}{window}" for objective, name in _MISSED.items()}, where), "ratio", _BY, text)


def budget(where: Where = EVERYWHERE) -> Query:
    return Query(_all(_BUDGETS, where), "ratio", _BY, "The share that may be missed, as the alerts on error budgets have it.")


def bound(where: Where = EVERYWHERE) -> Query:
    text = "Seconds within which a first token, and every next one, is to come."
    return Query(_all(_BOUNDS, where), "seconds", _BY, text)


def _all(series: Mapping[Objective, str], where: Where) -> str:
    return " or ".join(named(f"{name}{{{matchers(where)}}}", Label.OBJECTIVE, objective) for objective, name in series.items())
