"""Plots over time as values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pandas as pd

from dashboard import plots
from dashboard.asking import Answers
from dashboard.charts import Span
from dashboard.desk import Failed
from stack.metrics import queries

END = datetime(2026, 1, 1, tzinfo=UTC)
SPAN = Span(END - timedelta(minutes=15), END)
QUERY = queries.waterfall()
ROWS = {"time": [END, END], "value": [80.0, 20.0], "source": ["engine", "computed"]}


def drawn(found: pd.DataFrame | Failed) -> plots.Plot:
    return plots.waterfall("Sources", QUERY, Answers(END, {"w": found}), "w", SPAN, [], nothing="nothing was counted")


def test_prompt_tokens_are_stacked_by_source() -> None:
    figure = drawn(pd.DataFrame(ROWS)).figure
    assert figure is not None
    assert [(trace.name, trace.stackgroup, list(trace.y)) for trace in figure.data] == [
        ("engine", "0", [80.0]),
        ("computed", "0", [20.0]),
    ]


def test_where_nothing_was_counted_it_is_said_and_nothing_drawn() -> None:
    plot = drawn(pd.DataFrame(columns=["time", "value"]))
    assert (plot.figure, plot.said, plot.failed) == (None, "nothing was counted", False)


def test_what_has_no_answer_is_unknown_with_its_reason() -> None:
    plot = drawn(Failed("it cannot be reached"))
    assert (plot.figure, plot.said, plot.failed) == (None, "Unknown: it cannot be reached.", True)
