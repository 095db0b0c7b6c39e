"""Prefill and decode side by side: how hard either pool is pressed, what to do about it, and how much room the hand-over has."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard import amounts, charts, hours, panels, reader, tiles
from dashboard.asking import Answers, Now, Over, Question
from dashboard.figures import Figure
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.transfers.advice import advising
from dashboard.transfers.fleets import models, one_fleet, one_model
from dashboard.transfers.headroom import headroom
from stack.control.balance import Load
from stack.metrics import dpd_queries, pressure_queries
from stack.metrics.family import Label
from stack.metrics.queries import Query
from stack.model.tier import Pool

WINDOW = "5m"
_BUSY = (
    f"Of the moments at which it was looked, every {pressure_queries.STEP}, the share at which an engine ran anything; mean of "
    "the engines. What runs for less than that may fall between two looks: of short prefills it is a sample, not a measure."
)


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked."""
    return {
        "pressure": Now(pressure_queries.pressure(scope.model, WINDOW)),
        "course": Over(pressure_queries.course(scope.model)),
        "on its way": Over(dpd_queries.on_its_way(scope.model, scope.window)),
    }


def draw(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    """Draw it."""
    samples, frame = answers.samples("pressure"), answers.frame("course")
    if not samples:
        st.info("No engine is listed by kvdeck's exporter: how hard the pools are pressed is unknown.")
        return
    if not one_fleet(samples, frame, "The pools of several fleets are not one"):
        return
    served = models(samples)
    if not one_model(served, "The pools of several models are not one"):
        return
    loads = {pool: load(samples, pool) for pool in Pool}
    hours.of_now(scope.until, "What is desired, which the advice starts from")
    advising(served.pop(), loads)
    _side_by_side(answers, scope, samples)
    _courses(answers, scope, marks)
    headroom(answers, scope, loads[Pool.DECODE])


def load(samples: list[Sample], pool: Pool) -> Load:
    """What an advice rests on, of one pool."""
    told = _told(samples, pool)
    return Load(**{name: told.get(name) for name in Load.__dataclass_fields__})


def _told(samples: list[Sample], pool: Pool) -> dict[str, float]:
    return {one.labels.get(Label.QUANTITY, ""): one.value for one in samples if one.labels.get(Label.POOL) == pool}


def _side_by_side(answers: Answers, scope: Scope, samples: list[Sample]) -> None:
    query = pressure_queries.pressure(scope.model, WINDOW)
    panels.heading("Pressure, last 5 minutes", query, answers)
    for column, pool in zip(st.columns(2), Pool, strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{pool.value.title()}**")
            tiles.draw(figures(_told(samples, pool), pool, query), lambda one: panels.source(one, answers), most=4)


def figures(told: Mapping[str, float], pool: Pool, query: Query) -> list[Figure]:
    """The numbers of one pool; what is not told is unknown."""
    number, mine = amounts.number, told.get
    tokens = ("computed", "Computed", "Prompt tokens a second that engines of the pool computed.")
    if pool is Pool.DECODE:
        tokens = ("generated", "Generated", "Tokens a second that engines of the pool generated.")
    shown = (
        ("Engines", number(mine("engines"), "{:.0f}"), "Engines that the exporter lists."),
        ("Waiting", number(mine("waiting"), "{:.1f}"), "Requests in the queues of the pool's engines, mean."),
        ("Running", number(mine("running"), "{:.1f}"), "Requests running on the pool's engines, mean."),
        ("Busy", amounts.percent(mine("busy")), _BUSY),
        (tokens[1], number(mine(tokens[0]), "{:,.0f} /s"), tokens[2]),
        ("KV used", amounts.percent(mine("used")), "Share of the fullest engine's own KV cache that is in use, in per cent."),
        ("In the queue", amounts.duration(mine("queue")), "Mean time of a request in an engine's queue."),
        ("Preempted", number(mine("preemptions"), "{:.2f} /s"), "Running requests a second whose KV an engine took away."),
    )
    return [Figure(*one, query=query) for one in shown]


def _courses(answers: Answers, scope: Scope, marks: list[Mark]) -> None:
    query = pressure_queries.course(scope.model)
    try:
        frame = answers.frame("course")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    titles = {"waiting": ("Requests waiting for each engine", "requests"), "used": ("KV cache of the fullest engine", "ratio")}
    for column, (quantity, (title, unit)) in zip(st.columns(2), titles.items(), strict=True):
        with column:
            panels.heading(title, query, answers)
            mine = frame if frame.empty else frame[frame[Label.QUANTITY] == quantity]
            if mine.empty:
                st.info("Nobody tells it in this range.")
                continue
            figure = charts.marked(charts.lines(reader.local(mine), (Label.POOL,), unit, scope.span), marks)
            st.plotly_chart(figure, key=title, config=panels.PLAIN, alt=f"{title} by pool, over time.")
