"""The Overview's plots of several models."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pandas as pd

from dashboard.asking import Answers
from dashboard.axes import HEIGHT
from dashboard.charts import Span
from dashboard.overall.course import course
from dashboard.overall.questions import asked

AT = datetime(2026, 11, 30, tzinfo=UTC)
SPAN = Span(AT - timedelta(minutes=15), AT)
QUESTIONS = asked(timedelta(minutes=15))


def _frame(*rows: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"time": pd.Timestamp(AT), "value": 1.0, **row} for row in rows], columns=None if rows else ["time", "value"]
    )


def test_of_several_models_each_has_its_colour_and_the_tail_alone() -> None:
    both = [
        {"model_name": model, "path": "direct", "quantile": quantile} for model in ("a", "b") for quantile in ("p50", "p95")
    ]  # fmt: skip
    codes = [{"model_name": model, "code": code} for model in ("a", "b") for code in ("2xx", "5xx")]
    found = {
        "ttft over time": _frame(*both),
        "itl over time": _frame(*both[:2]),
        "requests over time": _frame(*codes),
        "hits over time": _frame({"tier": "engine"}),
        "load over time": _frame(),
    }
    ttft, itl, requests, hits, load = course(Answers(AT, found), QUESTIONS.queries, SPAN, [])
    assert ttft.figure is not None
    assert itl.figure is not None
    assert requests.figure is not None
    assert [(trace.name, trace.line.color) for trace in ttft.figure.data] == [
        ("a direct p95", "#4f6df5"), ("b direct p95", "#0f9d76")
    ]  # fmt: skip
    assert ttft.figure.layout.height > HEIGHT
    assert [trace.name for trace in itl.figure.data] == ["direct p50", "direct p95"]
    assert [(trace.name, list(trace.y)) for trace in requests.figure.data] == [("a", [2.0]), ("b", [2.0])]
    assert (hits.title, load.title) == (
        "Hit ratio per tier, all models together", "Requests in engines, per pool, all models together"
    )  # fmt: skip
    assert "each weighs as much as tokens of it were looked up" in hits.about
