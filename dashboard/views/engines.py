"""Pools and engines: what there is of each pool, what each engine does, and the ways to drain and scale."""

from __future__ import annotations

import streamlit as st

from dashboard import asking, hours, notices, panels, sources
from dashboard.asking import Answers, Now, Question
from dashboard.fleet import detail, past, pools, steer, table
from dashboard.fleet.columns import SAID
from dashboard.fleet.place import Place
from dashboard.fleet.search import Search
from dashboard.fleet.seen import STATES, Engine, engines, measured
from dashboard.fleet.told import Told, figures, listing
from dashboard.scope import ALL, Scope, toolbar
from stack.api.schema import StateView
from stack.metrics import engine_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where, one_of

WINDOW = "2m"
POOL, STATE, TEXT, MOST, ENGINE = "engines-pool", "engines-state", "engines-text", "engines-most", "engines-engine"
"""Names of what the link holds."""
_PICKED_POOL, _PICKED_ENGINE, _KNOWN, _SHOWN = "picked pool", "picked engine", "known pools", "shown engines"
_CHOSE = "chose in a table"
_MOST = (50, 200, 1000)
_NAMED = 200  # as many engines are asked for by name; for more a whole pool's are read


def page() -> None:
    """Draw the page."""
    scope = toolbar("Pools and engines")
    scope.live(_pools, scope)
    search = _search(scope)
    scope.live(_engines, scope, search)
    name = _chosen()
    hours.of_now(scope.until, "What can be drained and scaled")
    steer.steer(search.place, name)
    if name is not None:
        scope.live(_closely, name, scope)
    st.subheader("Joins and leaves")
    scope.live(_past, search.place, scope)


def _pools(scope: Scope) -> None:
    _follow()
    state = _state(scope)
    questions: dict[str, Question] = {"pools": Now(engine_queries.pools(scope.model, WINDOW))}
    if state is None:
        questions["listing"] = Now(engine_queries.listing(scope.model))
    answers, told = _ask(questions, scope), Told()
    if answers is not None:
        with notices.told():
            told = figures(answers.samples("pools"))
    rows = []
    if state is not None:
        rows = [row for row in pools.of_control(state, told) if scope.model_name in (None, row.place.model)]
    elif answers is not None:
        with notices.told():
            rows = pools.of_prometheus(engines(None, listing(answers.samples("listing"))), told)
    st.session_state[_KNOWN] = sorted(row.place for row in rows)
    if not rows:
        st.info("No pool is known yet: none is configured in control, and Prometheus tells of none.")
        return
    pools.draw(rows, _PICKED_POOL, _choose_pool)
    if answers is not None:
        panels.footer(answers, scope.refresh)


def _state(scope: Scope) -> StateView | None:
    """What control tells, None where it does not."""
    with notices.told():
        return _told(scope)
    return None


def _quietly(scope: Scope) -> StateView | None:
    """The same; where control is away, the pools have said so."""
    with notices.quiet():
        return _told(scope)
    return None


def _told(scope: Scope) -> StateView | None:
    """Of hours that are held control tells nothing: Prometheus alone does. Raises as `sources.state` does."""
    return sources.state() if scope.until is None else None


def _ask(questions: dict[str, Question], scope: Scope) -> Answers | None:
    with notices.told():
        return asking.ask(questions, scope.span)
    return None


def _choose_pool() -> None:
    st.session_state[POOL] = st.session_state[_PICKED_POOL]["label"]
    st.session_state[_CHOSE] = True


def _choose_engine() -> None:
    st.session_state[ENGINE] = st.session_state[_PICKED_ENGINE]["label"]
    st.session_state[_CHOSE] = True


def _follow() -> None:
    """A click in a table draws only that table's part of the page again, though it changes what the others show."""
    if st.session_state.pop(_CHOSE, False):
        st.rerun()


def _search(scope: Scope) -> Search:
    """The filters, which the link holds."""
    known = [str(place) for place in st.session_state.get(_KNOWN, ())]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # What a link names stays, though nobody tells of it now.
        pool = st.selectbox("Pool", [ALL, *known], key=POOL, bind="query-params", accept_new_options=True, width=240)
        states = st.multiselect(
            "State", [str(state) for state in STATES], key=STATE, bind="query-params", width=260, placeholder="any",
        )  # fmt: skip
        text = st.text_input("Search", key=TEXT, bind="query-params", placeholder="name, version, address", width=220)
        most = st.selectbox("At most", _MOST, key=MOST, bind="query-params", width=110, help="As many rows, the worst off first.")
    return Search(scope.model_name, Place.of(pool or ""), frozenset(states), text.strip(), most or _MOST[0])


def _engines(scope: Scope, search: Search) -> None:
    _follow()
    where = scope.model if search.place is None else search.place.within(scope.model)
    state = _quietly(scope)
    found = _found(state, where, scope)
    fitting = search.of(found)
    shown = fitting[: search.most]
    if not shown:
        st.info("No engine is known yet." if not found else "No engine is like that: the filters leave none.")
        return
    with notices.quiet():
        answers = asking.ask({"engines": Now(engine_queries.engines(_named(where, shown), WINDOW))}, scope.span)
        shown = measured(shown, figures(answers.samples("engines")))
    st.session_state[_SHOWN] = sorted(engine.name for engine in shown)
    of = f"{len(fitting):,} engines" if len(shown) == len(fitting) else f"the {len(shown):,} worst off of {len(fitting):,} engines"
    st.caption(f"{of[0].upper()}{of[1:]}. {SAID}")
    table.draw(shown, _PICKED_ENGINE, _choose_engine)


def _chosen() -> str | None:
    """The engine that is looked at closely, which the link holds."""
    now = st.session_state.get(ENGINE)
    names = dict.fromkeys([*st.session_state.get(_SHOWN, []), *filter(None, [now])])
    return st.selectbox(
        "Look closely at", list(names), index=None, key=ENGINE, bind="query-params", accept_new_options=True, width=300,
        placeholder="an engine, or click one above",
    )  # fmt: skip


def _closely(name: str, scope: Scope) -> None:
    detail.draw(name, _quietly(scope), scope)


def _past(place: Place | None, scope: Scope) -> None:
    past.draw(place, scope.model if place is None else place.within(scope.model), scope)


def _found(state: StateView | None, where: Where, scope: Scope) -> list[Engine]:
    views = None if state is None else state.engines
    with notices.quiet():
        answers = asking.ask({"listing": Now(engine_queries.listing(where))}, scope.span)
        return engines(views, listing(answers.samples("listing")))
    return engines(views, None)


def _named(where: Where, shown: list[Engine]) -> Where:
    if len(shown) > _NAMED:
        return where
    return {**where, Label.REPLICA: one_of({engine.name for engine in shown})}
