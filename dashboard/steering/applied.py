"""Desired against applied: routers by generation, pools by size, every engine by state."""

from __future__ import annotations

import time

import streamlit as st

from dashboard import amounts, links
from dashboard.fleet import table
from dashboard.fleet.seen import engines
from dashboard.steering.fields import fields
from dashboard.steering.pools import PoolProgress, progress
from dashboard.wording import code, plain
from stack.api.schema import StateView
from stack.fleet.engine import Health, State

_ROWS_SHOWN = 12


def applied(state: StateView) -> None:
    """Draw how far `state` is applied."""
    st.subheader(f"Applied: generation {state.generation}")
    _routers(state)
    pools = list(progress(state))
    several = len(state.desired.models) > 1
    for column, pool in zip(st.columns(max(2, len(pools))), pools, strict=False):
        with column:
            _pool(pool, several)
    st.caption(f"Store (L2): {plain(state.applied.store.words)}.")
    for drift in state.drift:
        waited = amounts.age(time.time() - drift.since)
        st.caption(f":material/hourglass_top: {code(drift.field)} {plain(drift.reason)}, for {waited}")
    _engines(state)
    fields(state)


def _routers(state: StateView) -> None:
    live = [router for router in state.applied.routers if router.live]
    behind = [f"{router.id} (on {router.generation})" for router in live if router.generation != state.generation]
    if not live:
        st.warning("No router reports to control: whether anything is applied is unknown.", icon=":material/warning:")
    elif behind:
        st.warning(f"Not yet on generation {state.generation}: {plain(', '.join(behind))}.", icon=":material/hourglass_top:")
    else:
        names = plain(", ".join(router.id for router in live))
        st.success(f"Every live router applies generation {state.generation}: {names}.", icon=":material/check_circle:")


def _pool(pool: PoolProgress, several: bool) -> None:
    name = plain(f"{pool.model} {pool.pool.value}") if several else pool.pool.value.title()
    if pool.done:
        st.markdown(f"**{name}** :green-badge[:material/check: {plain(pool.sentence)}]")
    else:
        st.progress(pool.fraction, f"**{name}** :blue-badge[:material/hourglass_top: {plain(pool.sentence)}]")


def _engines(state: StateView) -> None:
    """The engines that are on their way, or not as they should be; all of them have a page of their own."""
    if not state.engines:
        st.info("No engine is listed.")
        return
    moving = [engine for engine in state.engines if engine.state is not State.READY or engine.health is not Health.READY]
    if moving:
        table.of_control(engines(moving, None)[:_ROWS_SHOWN])
    ready = len(state.engines) - len(moving)
    more = f", {len(moving) - _ROWS_SHOWN:,} more are not" if len(moving) > _ROWS_SHOWN else ""
    st.caption(f"{ready:,} of {len(state.engines):,} engines are ready{more}.")
    links.page_link("engines", "All engines", icon=":material/dns:")
