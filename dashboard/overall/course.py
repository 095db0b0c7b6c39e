"""How it went over the time that is looked at: the Overview's plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from dashboard import plots
from dashboard.asking import Answers
from dashboard.axes import HEIGHT
from dashboard.charts import Mark, Span
from dashboard.plots import Plot
from stack.metrics.family import Label
from stack.metrics.promql import KEPT
from stack.metrics.queries import Query

WATERFALL = "Where prompt tokens' KV came from"
_MODEL, _PART, _TAIL = Label.MODEL_NAME.value, "part", "p95"
ALL = ", all models together"
_MOST_LINES, _LINE_PIXELS = 12, 18


def waterfall(answers: Answers, queries: Mapping[str, Query], span: Span, marks: Sequence[Mark]) -> Plot:
    """Prompt tokens by source, of all fleets that are looked at."""
    name = "waterfall over time"
    nothing = "No prompt tokens have been counted yet: where they come from is unknown until requests arrive."
    return plots.waterfall(WATERFALL, queries[name], answers, name, span, marks, nothing=nothing)


def course(answers: Answers, queries: Mapping[str, Query], span: Span, marks: Sequence[Mark]) -> Iterator[Plot]:
    """The rest, two beside each other. Of several models the tail alone is told, a line each; what is of all of them says so."""
    told = _told_by_model(answers)
    all_of_them = ALL if any(isinstance(frame, pd.DataFrame) and _several(frame) for frame in told.found.values()) else ""
    for title, name, by in (
        ("Time to first token", "ttft over time", (Label.PATH, Label.QUANTILE)),
        ("Inter-token latency", "itl over time", (Label.PATH, Label.QUANTILE)),
        ("Requests", "requests over time", (Label.CODE,)),
        (f"Hit ratio per tier{all_of_them}", "hits over time", (Label.TIER,)),
        (f"Requests in engines, per pool{all_of_them}", "load over time", (Label.POOL, Label.STATE)),
    ):
        found = told.found[name]
        if isinstance(found, pd.DataFrame) and _several(found):
            yield _roomy(plots.lines(title, queries[name], told, name, span, marks, by=(_MODEL, _PART)), found)
        else:
            yield plots.lines(title, queries[name], told, name, span, marks, by=by)


def _roomy(plot: Plot, frame: pd.DataFrame) -> Plot:
    """Models have long names: the legend takes lines of its own, and not those of the plot."""
    lines = len(frame.groupby([label for label in frame if label not in ("time", "value")], dropna=False))
    more = min(_MOST_LINES, lines) * _LINE_PIXELS
    return plot if plot.figure is None else replace(plot, figure=plot.figure.with_parts([], height=HEIGHT + more))


def _told_by_model(answers: Answers) -> Answers:
    """Of several models the classes of requests are added up, and half of the quantiles left out: or nobody could read it."""
    found = dict(answers.found)
    for name in ("ttft over time", "itl over time"):
        frame = found[name]
        if isinstance(frame, pd.DataFrame) and _several(frame):
            tail = frame[frame[Label.QUANTILE.value] == _TAIL]
            # One word for both: of several models the colour tells which, not the path.
            found[name] = tail.assign(**{_PART: tail[Label.PATH.value] + f" {_TAIL}"}).drop(
                columns=[Label.PATH.value, Label.QUANTILE.value]
            )
    requests = found["requests over time"]
    if isinstance(requests, pd.DataFrame) and _several(requests):
        labels = [label for label in (*KEPT, _MODEL) if label in requests]
        summed = requests.groupby([*labels, "time"], dropna=False)["value"].sum(min_count=1)
        found["requests over time"] = summed.reset_index()
    return replace(answers, found=found)


def _several(frame: pd.DataFrame) -> bool:
    return _MODEL in frame and frame[_MODEL].nunique(dropna=False) > 1
