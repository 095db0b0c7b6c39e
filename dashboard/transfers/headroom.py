"""Room for KV on its way from prefill to decode: what waits there, what there is room for, and how long that lasts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import amounts, panels, tiles
from dashboard.asking import Answers
from dashboard.figures import Figure
from dashboard.promapi import PrometheusUnavailableError
from dashboard.scope import Scope
from dashboard.transfers.filling import filling
from stack.control.balance import Load
from stack.metrics import dpd_queries, pressure_queries
from stack.metrics.family import Label
from stack.metrics.queries import Query
from stack.model.tier import Pool

GIB = 1 << 30
_UNTOLD = "No KV moved between engines, or no router of kvdeck tells its phases."
_NIXL = (
    "With NIXL or Mooncake, KV waits in the prefill engine's own cache until a decode engine fetched it or its lease ended: the "
    "room is what is free there. LMCache's own P/D mode has a buffer (PD_BUFFER_SIZE, a rank) whose fill nobody tells: give its "
    "size to see what is on its way against it."
)


def headroom(answers: Answers, scope: Scope, decode: Load) -> None:
    """Draw it."""
    way, course = dpd_queries.on_its_way(scope.model, scope.window), pressure_queries.course(scope.model)
    panels.heading("Room for KV on its way to decode", way, answers)
    given = st.number_input(
        "P/D buffer of a decode engine, GiB", min_value=0.0, value=None, step=1.0, key="dpd-buffer", bind="query-params", width=240,
        placeholder="not given", help="All its ranks together: PD_BUFFER_SIZE times the tensor-parallel size.",
    )  # fmt: skip
    found = [*prefill(answers, way, course), *(buffer(answers, given, decode.engines, way) if given else [])]
    tiles.draw(found, lambda one: panels.source(one, answers))
    st.caption(_NIXL)


def prefill(answers: Answers, on_its_way: Query, course: Query) -> list[Figure]:
    """What waits and what there is room for, unknown with the reason where nobody tells it."""
    way = _points(answers, "on its way", None)
    used = _points(answers, "course", ("used", Pool.PREFILL))
    text = on_its_way.help if way else f"{on_its_way.help} {_UNTOLD}"
    free, full = 1 - used[-1][1] if used else None, filling(used)
    room = "Free share of the fullest prefill engine's cache, in per cent."
    return [
        Figure("On its way", amounts.memory(way[-1][1] if way else None), text, query=on_its_way),
        Figure("Prefill engines' free KV", amounts.percent(free), room, query=course),
        Figure("Prefill engines' KV full in", full.value, full.why, query=course),
    ]


def buffer(answers: Answers, given: float, engines: float | None, on_its_way: Query) -> list[Figure]:
    """The same of a buffer of `given` GiB a decode engine."""
    whole = None if engines is None else given * GIB * engines
    shares = [(at, amount / whole) for at, amount in _points(answers, "on its way", None)] if whole else []
    text = f"What is on its way, of {given:g} GiB a decode engine, in per cent; an estimate."
    full = filling(shares)
    return [
        Figure("P/D buffer used", amounts.percent(shares[-1][1] if shares else None), text, query=on_its_way),
        Figure("P/D buffer full in", full.value, full.why, query=on_its_way),
    ]


def _points(answers: Answers, name: str, only: tuple[str, str] | None) -> list[tuple[float, float]]:
    """Unix seconds and value, of the one series there is; none where it is not known."""
    try:
        frame = answers.frame(name)
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return []
    if only is not None and not frame.empty:
        frame = frame[(frame[Label.QUANTITY] == only[0]) & (frame[Label.POOL] == only[1])]
    known = frame.dropna(subset=["value"]) if not frame.empty else pd.DataFrame({"time": [], "value": []})
    return [(at.timestamp(), float(value)) for at, value in zip(known["time"], known["value"], strict=True)]
