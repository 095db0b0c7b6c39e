"""Room for KV on its way from prefill to decode: what waits there, what there is room for, and how long that lasts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import amounts, panels
from dashboard.asking import Answers
from dashboard.figures import Figure
from dashboard.promapi import PrometheusUnavailableError
from dashboard.scope import Scope
from dashboard.transfers.filling import filling
from stack.control.balance import Load
from stack.metrics import dpd_queries
from stack.metrics.family import Label
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
    panels.heading("Room for KV on its way to decode", dpd_queries.on_its_way(scope.model, scope.window), answers)
    given = st.number_input(
        "P/D buffer of a decode engine, GiB", min_value=0.0, value=None, step=1.0, key="dpd-buffer", bind="query-params", width=240,
        placeholder="not given", help="All its ranks together: PD_BUFFER_SIZE times the tensor-parallel size.",
    )  # fmt: skip
    with st.container(horizontal=True):
        for one in figures(answers, given, decode.engines):
            st.metric(one.title, one.value, help=one.help, width=200)
    st.caption(_NIXL)


def figures(answers: Answers, given: float | None, engines: float | None) -> list[Figure]:
    """The numbers, unknown with the reason where nobody tells them."""
    way = _points(answers, "on its way", None)
    used = _points(answers, "course", ("used", Pool.PREFILL))
    text = dpd_queries.on_its_way().help
    last = way[-1][1] if way else None
    found = [Figure("On its way", amounts.memory(last), text if way else f"{text} {_UNTOLD}")]
    full = filling(used)
    now = used[-1][1] if used else None
    found += [
        Figure(
            "Prefill engines' free KV", amounts.percent(None if now is None else 1 - now), "Of the fullest prefill engine's cache."
        ),
        Figure("Prefill engines' KV full in", full.value, full.why),
    ]
    if given:
        whole = None if engines is None else given * GIB * engines
        share = None if last is None or not whole else last / whole
        buffer = filling([(at, amount / whole) for at, amount in way] if whole else [])
        found += [
            Figure(
                "P/D buffer used", amounts.percent(share), f"What is on its way, of {given:g} GiB a decode engine; an estimate."
            ),
            Figure("P/D buffer full in", buffer.value, buffer.why),
        ]
    return found


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
