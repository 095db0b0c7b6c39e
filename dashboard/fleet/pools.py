"""Pools and models: one row each, those that are not as desired first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts
from dashboard.fleet.columns import OF_POOLS, WHERE, cells, numbers
from dashboard.fleet.name import Name
from dashboard.fleet.place import Place
from dashboard.fleet.seen import STATES, Engine
from dashboard.fleet.told import Figures, Told
from dashboard.sites import NOWHERE, Site
from dashboard.steering.pools import progress
from stack.api.schema import StateView
from stack.fleet.engine import State
from stack.metrics.engine_queries import Quantity

_OF_ROUTERS = (State.DOWN, amounts.UNKNOWN, State.JOINING, State.READY)  # who does not ask control cannot tell who is drained


@dataclass(frozen=True, slots=True)
class Row:
    """One pool: engines by state (of what cannot be told, none), how many are desired, progress from 0 to 1."""

    place: Place
    by_state: Mapping[str, int]
    site: Site = NOWHERE
    desired: int | None = None
    progress: float | None = None
    bounds: tuple[int, int] | None = None
    figures: Figures = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[float, Place, Site]:
        """The least done first."""
        return 1.0 if self.progress is None else self.progress, self.place, self.site


def of_control(state: StateView, told: Told) -> list[Row]:
    """The pools of all models, as control has them."""
    rows = []
    for pool in progress(state):
        place = Place(pool.model, pool.pool.value)
        bounds = state.desired.models[pool.model].pools.of(pool.pool).bounds
        rows.append(Row(
            place=place,
            by_state={kind.value: pool.by_state.get(kind, 0) for kind in State},
            desired=pool.desired,
            progress=pool.fraction,
            bounds=(bounds.min, bounds.max),
            figures={**told.of_pool(place), **_in_flight(state, place)},
            remarks=tuple(_remarks(state, place, told)),
        ))  # fmt: skip
    return sorted(rows, key=lambda row: row.rank)


def of_prometheus(engines: Sequence[Engine], told: Told) -> list[Row]:
    """The pools that Prometheus knows of, where control does not say; those of each cluster and namespace for themselves."""
    counts: dict[Name, Counter[str]] = {}
    for engine in engines:
        counts.setdefault(Name(engine.place, site=engine.site or NOWHERE), Counter())[engine.state] += 1
    rows = []
    for pool in dict.fromkeys([*counts, *(name for name in told.figures if not name.engine)]):
        own, by_state = told.figures.get(pool, {}), counts.get(pool, Counter())
        desired = own.get(Quantity.DESIRED)
        wanted = None if desired is None else int(desired)
        known = {state: by_state[state] for state in _OF_ROUTERS}
        rows.append(Row(pool.place, known, pool.site, wanted, _progress(wanted, by_state), None, own))
    return sorted(rows, key=lambda row: row.rank)


def _in_flight(state: StateView, place: Place) -> Figures:
    """As routers told control, where all engines are known."""
    counts = [engine.in_flight for engine in state.engines if (engine.model, engine.pool.value) == (place.model, place.pool)]
    known = [count for count in counts if count is not None]
    return {Quantity.IN_FLIGHT: float(sum(known))} if len(known) == len(counts) else {}


def _progress(desired: int | None, by_state: Counter[str]) -> float | None:
    return None if desired is None else (min(1.0, by_state[State.READY] / desired) if desired else 1.0)


def _remarks(state: StateView, place: Place, told: Told) -> Iterator[str]:
    prefix = f"models.{place.model}.pools.{place.pool}."
    yield from (drift.reason for drift in state.drift if drift.field.startswith(prefix))
    for pool in state.pools:
        if (pool.model, pool.pool.value) == (place.model, place.pool):
            yield from filter(None, [pool.hold])
            yield f"run by {pool.workload}" + ("" if pool.owner is None else f", sized by {pool.owner.kind} {pool.owner.name}")
    if len(told.pools(place)) > 1:
        yield "several clusters or namespaces have it: pick one above for its figures"


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """As a table; a figure that nobody told is no number."""
    several = len({row.site for row in rows}) > 1
    return pd.DataFrame([_row(row, {"where": str(row.site)} if several else {}) for row in rows])


def _row(row: Row, where: Mapping[str, str]) -> dict[str, object]:
    return {
        "pool": str(row.place),
        **where,
        "progress": amounts.hundredths(row.progress),
        "desired": row.desired,
        **{str(state): row.by_state.get(state) for state in STATES},
        **cells(OF_POOLS, row.figures),
        "bounds": None if row.bounds is None else f"{row.bounds[0]} to {row.bounds[1]}",
        "remarks": "; ".join(row.remarks),
    }


def draw(rows: Sequence[Row], picked: str, choose: Callable[[], None]) -> None:
    """The table; `choose` is called when a pool is clicked, whose name is then `st.session_state[picked]["label"]`.

    States that no engine is in are left out, but for ready.
    """
    frame = table(rows).rename(columns={"progress": "in place"})
    empty = [state for state in STATES if state != State.READY and not frame[str(state)].fillna(0).any()]
    button = st.column_config.ButtonColumn(
        "pool", pinned=True, alignment="left", key=picked, on_click=choose, help="Click a pool to see its engines."
    )
    st.dataframe(
        frame.drop(columns=[str(state) for state in empty]), hide_index=True, placeholder=amounts.UNKNOWN, key="pools",
        column_config={"pool": button, **_CONFIG, **numbers(OF_POOLS)},
        alt="One row a pool: engines desired and there by state, requests, cache and tokens, the least done first.",
    )  # fmt: skip


_CONFIG: Mapping[str, Any] = {
    "where": WHERE,
    "in place": st.column_config.ProgressColumn(
        "in place", format=amounts.PERCENT, min_value=0, max_value=100, width=110, color="auto",
        help="Engines that are where they should be (ready, or drained by an operator), of all there are or should be.",
    ),
    "desired": st.column_config.NumberColumn("desired", width=70, help="Engines wanted; control's word."),
    "bounds": st.column_config.TextColumn("bounds", width=80, help="Between which numbers the pool may be set."),
    "remarks": st.column_config.TextColumn("remarks", width=320, help="What is waited for, and what runs the pool."),
    **{
        str(state): st.column_config.NumberColumn(str(state), width=70, help=text)
        for state, text in {
            State.READY: "Engines that routers send requests to.",
            State.JOINING: "Engines that start, or that no router has looked at yet.",
            State.DRAINING: "Engines that leave: no new requests, those in flight finish.",
            State.DRAINED: "Engines that an operator took out of rotation; they stay.",
            State.DOWN: "Engines that do not answer.",
            amounts.UNKNOWN: "Engines whose state nobody tells.",
        }.items()
    },
}  # fmt: skip
