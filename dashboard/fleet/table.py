"""Engines as a table, the worst off first, as many as somebody can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, palette, reader
from dashboard.fleet.columns import IN_FLIGHT, OF_ENGINES, WHERE, cells, numbers
from dashboard.fleet.seen import Engine

_ROWS_SHOWN, _HEIGHT_MAX = 12, 460  # rows, pixels
TOLD_BY_CONTROL = ("engine", "model", "pool", "state", "health", "looked at", IN_FLIGHT.title, "emulated", "url", "detail")


def draw(engines: Sequence[Engine], picked: str, choose: Callable[[], None]) -> None:
    """The table; `choose` is called when an engine is clicked, whose name is then `st.session_state[picked]["label"]`."""
    button = st.column_config.ButtonColumn(
        "engine", pinned=True, alignment="left", key=picked, on_click=choose, help="Click an engine to see more of it."
    )
    _drawn(engines, button)


def of_control(engines: Sequence[Engine]) -> None:
    """The table of engines of which only control has told."""
    _drawn(engines, st.column_config.TextColumn("engine", pinned=True), TOLD_BY_CONTROL)


def _drawn(engines: Sequence[Engine], engine: Any, order: Sequence[str] | None = None) -> None:
    frame = table(engines)
    st.dataframe(
        frame.style.map(_coloured, subset=["state"]), hide_index=True, placeholder=amounts.UNKNOWN, key="engines",
        height="content" if len(frame) <= _ROWS_SHOWN else _HEIGHT_MAX, column_order=order,
        column_config={"engine": engine, **_CONFIG, **numbers(OF_ENGINES)},
        alt="One row an engine: pool, state, health, requests, cache, tokens, version, and how old what is known is.",
    )  # fmt: skip


def table(engines: Sequence[Engine]) -> pd.DataFrame:
    """One row an engine."""
    several = len({engine.site for engine in engines if engine.site is not None}) > 1
    return pd.DataFrame([_row(engine, {"where": str(engine.site or "")} if several else {}) for engine in engines])


def _row(engine: Engine, where: Mapping[str, str]) -> dict[str, object]:
    view = engine.view
    return {
        "engine": engine.name,
        **where,
        "state": engine.state,
        "health": (engine.health or amounts.UNKNOWN).replace("_", " "),
        "looked at": None if view is None else view.health_age_seconds,
        **cells(OF_ENGINES, engine.figures),
        IN_FLIGHT.title: engine.in_flight,
        "model": engine.place.model,
        "pool": engine.place.pool,
        "version": engine.version,
        "read": read(engine),
        "emulated": {True: "yes", False: "no"}.get(engine.emulated) if engine.emulated is not None else None,
        "url": None if view is None else view.url or "",
        "detail": engine.remarks(clock),
    }


def read(engine: Engine) -> str | None:
    """How old what the exporter tells of it is, or why it tells nothing; None where Prometheus does not answer."""
    listed = engine.listed
    if listed is None:
        return None
    if listed.age is None:
        return "not listed by the exporter"
    if listed.unread:
        return f"failed: {', '.join(listed.unread)}"
    return amounts.ago(listed.age)


def clock(at: float) -> str:
    """Unix seconds in the reader's time."""
    return f"{reader.moment(at):%b %d, %H:%M:%S}"


def _coloured(state: object) -> str:
    return f"color: {palette.STATES.get(str(state), palette.GREY)}"


_CONFIG: Mapping[str, Any] = {
    "where": WHERE,
    "state": st.column_config.TextColumn(
        "state", width=78,
        help="Control's word: ready, joining, draining (it leaves), drained (an operator's wish), down. Else what routers see.",
    ),
    "health": st.column_config.TextColumn("health", width=82, help="Whether it can answer, as the routers see it; the worst word."),
    "looked at": st.column_config.NumberColumn(
        "looked at", width=84, format="%.0f s ago", help="When a router last looked, of those the one that looked least lately."
    ),
    "model": st.column_config.TextColumn("model", width=130),
    "pool": st.column_config.TextColumn("pool", width=70),
    "version": st.column_config.TextColumn("version", width=90, help="The engine's own, as the exporter read it."),
    "read": st.column_config.TextColumn(
        "read", width=150, help="When the exporter last told of it, and which of its collectors could not read it."
    ),
    "emulated": st.column_config.TextColumn("emulated", width=80, help="Whether its timings are a model's."),
    "url": st.column_config.TextColumn("url", width=180, help="Where it listens; nothing until it does."),
    "detail": st.column_config.TextColumn("detail", width=300),
}  # fmt: skip
