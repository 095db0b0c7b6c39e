"""Joins and leaves: how many engines there were, who came and went, and what control did about it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard import amounts, asking, axes, charts, notices, palette, panels, reader, sites, sources
from dashboard.asking import Answers, Now, Over
from dashboard.charts import Span
from dashboard.fleet.place import Place
from dashboard.marks import Mark, marks
from dashboard.picture import Trace
from dashboard.promapi import Sample, step_seconds
from dashboard.scope import Scope
from dashboard.sites import Site
from dashboard.steering import ledger
from stack.control.audit import AuditRecord, Outcome
from stack.fleet.engine import State
from stack.metrics import engine_queries
from stack.metrics.engine_queries import Quantity
from stack.metrics.family import Label
from stack.metrics.promql import Where

_MOST = 100  # who came, and who went
_ROUTERS = {"ready": palette.STATES[State.READY], "unknown": palette.STATES[State.JOINING], "not ready": palette.STATES[State.DOWN]}
_ROWS_SHOWN, _HEIGHT_MAX = 8, 320  # rows, pixels
_FEW = 8  # engines, up to which the axis names every number
SHOWN = ("at", "outcome", "what", "who", "why")
_DONE = (Outcome.APPLIED, Outcome.STARTED, Outcome.STEP, Outcome.FAILED)


def draw(place: Place | None, where: Where, scope: Scope) -> None:
    """Draw what happened to the pool at `place`, or to all."""
    span = scope.span
    step = step_seconds(span.start, span.end)
    course, comings = engine_queries.course(where), engine_queries.comings(where, f"{_seconds(span)}s", f"{step}s", _MOST)
    seen: list[Sample] | None = None
    with notices.quiet():  # where Prometheus is away, the page says so
        answers = asking.ask({"course": Over(course), "comings": Now(comings)}, span)
        _chart(answers, span, marks(scope, None if place is None else place.model))
        seen = answers.samples("comings")
    _comings(seen, step)
    with notices.quiet():
        names = {sample.labels.get(Label.REPLICA, "") for sample in seen or ()} | {
            engine.name for engine in sources.state().engines
        }
        _steps(steps(sources.audit(), place, names, span))


def _seconds(span: Span) -> int:
    return int((span.end - span.start).total_seconds())


def _chart(answers: Answers, span: Span, changes: list[Mark]) -> None:
    query = engine_queries.course()
    panels.heading("Engines by state", query, answers)
    frame = answers.frame("course")
    if frame.empty:
        st.info("Nobody told of engines in this range.")
        return
    frame = reader.local(frame)
    health = frame[frame[Label.QUANTITY] == Quantity.HEALTH].replace({Label.STATE.value: {"not_ready": "not ready"}})
    figure = charts.stacked(health, Label.STATE, _ROUTERS, query.unit, span)
    figure = figure.with_parts(list(_lines(frame)))
    if (most := frame["value"].max()) < _FEW:
        figure = figure.with_parts([], yaxis={"title": {"text": query.unit}, "dtick": 1, "range": [0, most + 0.5]})
    alt = "Engines over time, stacked by the state that routers give them, beside how many are desired and listed"
    st.plotly_chart(charts.marked(figure, changes), key="course", config=panels.PLAIN, alt=alt)


def _lines(frame: pd.DataFrame) -> Iterator[Trace]:
    desired = frame[frame[Label.QUANTITY] == Quantity.DESIRED]
    for name, part, dash in (
        ("desired", desired[desired[Label.STATE] == "desired"] if Label.STATE in desired else desired, "dash"),
        ("listed", frame[frame[Label.QUANTITY] == Quantity.LISTED], "dot"),
    ):
        if not part.empty:
            sums = part.groupby("time")["value"].sum(min_count=1)
            times, values = [axes.digits(at) for at in sums.index], [None if value != value else value for value in sums]
            line = {"color": palette.GREY, "dash": dash, "width": 2}
            yield {"type": "scatter", "x": times, "y": values, "name": name, "mode": "lines", "line": line}


def _comings(seen: list[Sample] | None, step: int) -> None:
    st.markdown("**Came and went**", help=f"Engines that the exporter began or ceased to list, to within {step} s.")
    if seen is None:
        st.caption(f"{amounts.UNKNOWN.title()}: Prometheus does not answer.")
        return
    frame = comings(seen, step)
    if frame.empty:
        st.caption("Nobody came or went in this range, as far as the exporter lists them.")
    else:
        st.dataframe(frame, hide_index=True, key="comings", height=height(frame), column_config={
            "at": st.column_config.DatetimeColumn("at", format="MMM D, HH:mm:ss", width=125),
        }, alt="Engines that came and went, the newest first.")  # fmt: skip
    st.caption(f"By the exporter's list every {step} s: who stayed shorter may lack, and while no exporter is read nobody is seen.")


def comings(seen: Sequence[Sample], step: int) -> pd.DataFrame:
    """Who came and who went, the newest first. Who was there when the record begins did not come then."""
    since = [sample for sample in seen if sample.labels.get(Label.EVENT) == "since"]
    begins = {Site.of(sample.labels): sample.value for sample in since}  # a fleet's record may be younger than another's
    found = [sample for sample in seen if sample.labels.get(Label.EVENT) != "since"]
    named = sites.names(found)
    rows = []
    for sample in sorted(found, key=lambda one: (-one.value, named(one))):
        labels, event, begin = sample.labels, sample.labels.get(Label.EVENT), begins.get(Site.of(sample.labels))
        if event == "joined" and begin is not None and sample.value <= begin + step:
            continue
        rows.append({
            "at": reader.moment(sample.value),
            "engine": named(sample),
            "what": {"joined": "came", "left": "last seen"}.get(event or "", amounts.UNKNOWN),
            "pool": f"{labels.get(Label.MODEL_NAME, amounts.UNKNOWN)} {labels.get(Label.POOL, amounts.UNKNOWN)}",
        })  # fmt: skip
    return pd.DataFrame(rows)


def height(frame: pd.DataFrame) -> Literal["content"] | int:
    """Of a table: all of it where that is little."""
    return "content" if len(frame) <= _ROWS_SHOWN else _HEIGHT_MAX


def _steps(frame: pd.DataFrame) -> None:
    st.markdown(
        "**What control did**", help=f"Changes of pools and control's own steps, of its newest {sources.AUDIT_RECORDS} records."
    )
    if frame.empty:
        st.caption("Control started, drained and ended nobody in this range.")
        return
    alt = "What control did to pools and engines, the newest first."
    st.dataframe(
        frame, hide_index=True, key="steps", height=height(frame), column_config=ledger.COLUMNS, column_order=SHOWN, alt=alt
    )


def steps(records: Iterable[AuditRecord], place: Place | None, names: Collection[str], span: Span) -> pd.DataFrame:
    """What was done to pools, or to the one at `place` whose engines have `names`; the newest first."""
    within = [record for record in records if record.at >= span.start.timestamp()]  # the span's end lags by some seconds
    return ledger.table(record for record in within if record.outcome in _DONE and _about(record, place, names))


def events(records: Iterable[AuditRecord], name: str) -> pd.DataFrame:
    """What was done to the engine of this name, the newest first."""
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    return ledger.table(record for record in records if record.outcome in _DONE and word.search(_text(record)))


def _text(record: AuditRecord) -> str:
    changes = [f"{change.before} {change.after}" for change in record.diff]
    return " ".join([*record.effects, *changes, (record.field or "").removeprefix("engines."), record.error or ""])


def _about(record: AuditRecord, place: Place | None, names: Collection[str]) -> bool:
    fields = [change.field for change in record.diff] + ([record.field] if record.field else [])
    if place is None:
        return any(".pools." in field or field.startswith("engines.") for field in fields)
    own = f"models.{place.model}.pools.{place.pool}."
    return any(field.startswith(own) or field.removeprefix("engines.") in names for field in fields)
