"""One engine closely: what it is, who says so, how it went, what it does not tell, what fires about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import amounts, asking, charts, links, notices, panels, reader, sources
from dashboard.alarms import mention
from dashboard.alarms.known import known, within
from dashboard.asking import Answers, Now, Over, Question
from dashboard.fleet import past
from dashboard.fleet.columns import OF_ENGINES
from dashboard.fleet.seen import Engine, engines
from dashboard.fleet.table import clock, read
from dashboard.fleet.told import listing
from dashboard.marks import marks
from dashboard.scope import Scope
from dashboard.steering import ledger
from dashboard.wording import code, plain
from stack.api.schema import StateView
from stack.control.alert import AlertState
from stack.metrics import engine_queries, routing_queries
from stack.metrics.engine_queries import UNITS, Quantity
from stack.metrics.family import Label

_CHARTS: Mapping[str, tuple[Quantity, ...]] = {
    "Requests": (Quantity.IN_FLIGHT, Quantity.RUNNING, Quantity.WAITING),
    "Cache": (Quantity.USED, Quantity.ENGINE_HITS, Quantity.L1_HITS, Quantity.L2_HITS),
    "Tokens": (Quantity.PROMPT, Quantity.GENERATED),
}
_TITLES = {column.quantity.value: column.title for column in OF_ENGINES}
_HERE = ("present", "renamed", "not_applicable")


def draw(name: str, state: StateView | None, scope: Scope) -> None:
    """Draw it."""
    answers = None
    with notices.quiet():  # where Prometheus is away, the page says so
        answers = asking.ask(_questions(name, scope), scope.span)
    found = _found(name, state, answers)
    if not found:
        st.info(f"Nobody knows an engine {code(name)} now: it left, or its name is another one.")
        return
    left, right = st.columns([3, 2])
    with left:
        if len(found) > 1:
            places = ", ".join(str(engine.site or "") or "(unnamed)" for engine in found)
            st.info(f"Several have an engine of this name: pick one above. Seen: {plain(places)}.", icon=":material/filter_alt:")
        st.dataframe(facts(found), hide_index=True, key="facts", height="content", column_config={
            "what": st.column_config.TextColumn("what", width=130),
            "is": st.column_config.TextColumn("is", width=400),
            "says": st.column_config.TextColumn("says", width=90, help="Who says so."),
        }, alt=f"What {name} is, and who says so.")  # fmt: skip
    with right:
        _links(name)
        _alerts(name, scope)
        with notices.quiet():
            _events(past.events(sources.audit(), name))
    if answers is not None:
        _course(answers, scope, found[0].place.model)


def _questions(name: str, scope: Scope) -> dict[str, Question]:
    own = {**scope.model, Label.REPLICA: name}
    return {
        "listing": Now(engine_queries.listing(own)),
        "course": Over(engine_queries.engines(own, scope.window)),
        "quantities": Now(routing_queries.quantity_states(scope.fleet)),
    }


def _found(name: str, state: StateView | None, answers: Answers | None) -> list[Engine]:
    """The engine of this name, or those that have it: one a pool, cluster and namespace."""
    views = None if state is None else [view for view in state.engines if view.name == name]
    listed = None
    if answers is not None:
        with notices.quiet():
            listed = listing(answers.samples("listing"))
    return [engine for engine in engines(views, listed) if engine.name == name]


def facts(found: Sequence[Engine]) -> pd.DataFrame:
    """One row a fact: what it is, and who says so; of several of one name, each beginning with where it is."""
    where = [("where", str(engine.site or "") or amounts.UNKNOWN, "exporter") for engine in found] if len(found) > 1 else [None]
    rows = [row for at, engine in zip(where, found, strict=True) for row in (*filter(None, [at]), *_facts(engine))]
    return pd.DataFrame(rows, columns=["what", "is", "says"])


def _facts(engine: Engine) -> Iterator[tuple[str, str, str]]:
    view = engine.view
    steers = "routers" if view is None else "control"
    yield "role", f"{engine.place.pool} of {engine.place.model}", steers
    yield "state", engine.state, steers
    looked = None if view is None or view.health_age_seconds is None else f", looked at {amounts.ago(view.health_age_seconds)}"
    yield "health", f"{(engine.health or amounts.UNKNOWN).replace('_', ' ')}{looked or ''}", "routers"
    yield "requests in flight", amounts.UNKNOWN if engine.in_flight is None else f"{engine.in_flight:.0f}", "routers"
    yield "version", engine.version or amounts.UNKNOWN, "exporter"
    yield "read", read(engine) or amounts.UNKNOWN, "exporter"
    yield (
        "emulated",
        {True: "yes", False: "no"}.get(engine.emulated, amounts.UNKNOWN) if engine.emulated is not None else amounts.UNKNOWN,
        "target list",
    )
    if view is not None:
        yield "address", view.url or "none until it listens", "target list"
    if remarks := engine.remarks(clock):
        yield "remarks", remarks, "control"


def _links(name: str) -> None:
    with st.container(horizontal=True):
        links.page_link(
            "routing", "Its requests", {"routing-engine": name}, icon=":material/alt_route:", tip="Requests that it served"
        )
        links.page_link("alerts", "Alerts", icon=":material/notifications:", tip="All alerts")


def _events(frame: pd.DataFrame) -> None:
    if frame.empty:
        st.caption(f"Of control's newest {sources.AUDIT_RECORDS} records none is about it.")
        return
    alt = "What was done to it, the newest first."
    st.dataframe(
        frame,
        hide_index=True,
        key="events",
        height=past.height(frame),
        column_config=ledger.COLUMNS,
        column_order=past.SHOWN,
        alt=alt,
    )


def _alerts(name: str, scope: Scope) -> None:
    with notices.quiet():
        found = mention.of_engine(name, within(known(scope.until).alerts, scope))
        for state, names in found.items():
            if state is AlertState.FIRING:
                st.warning(f"Firing about it: {plain(', '.join(names))}.", icon=":material/warning:")
            else:
                st.caption(f"{state.title()}: {plain(', '.join(names))}.")
        if AlertState.FIRING not in found:
            st.caption("No alert that people are told of names it.")
        return
    st.caption("Whether an alert names it is unknown.")


def _course(answers: Answers, scope: Scope, model: str) -> None:
    span = scope.span
    query = engine_queries.engines(scope.model, scope.window)
    with notices.told():
        frame = answers.frame("course")
        changes = marks(scope, model)
        for column, (title, quantities) in zip(st.columns(len(_CHARTS)), _CHARTS.items(), strict=True):
            with column:
                panels.heading(title, query, answers)
                part = frame[frame[Label.QUANTITY].isin(quantities)] if Label.QUANTITY in frame else frame
                if part.empty:
                    st.info("Nothing is told in this range.")
                    continue
                unit = UNITS[quantities[0]]
                figure = charts.lines(reader.local(part.replace({Label.QUANTITY: _TITLES})), (Label.QUANTITY,), unit, span)
                alt = f"{title} of the engine over time, in {unit}"
                st.plotly_chart(charts.marked(figure, changes), key=f"engine {title}", config=panels.PLAIN, alt=alt)
        _untold(frame, answers)


def _untold(frame: pd.DataFrame, answers: Answers) -> None:
    told = set(frame[Label.QUANTITY]) if Label.QUANTITY in frame else set()
    if not (lacking := [column.title for column in OF_ENGINES if column.quantity.value not in told]):
        return
    st.caption(f"Not told of it in this range: {', '.join(lacking)}. A hit share also lacks while nothing is asked for.")
    states = [one.labels for one in answers.samples("quantities") if one.labels.get(Label.STATE) not in _HERE]
    if states:
        words = sorted(f"{labels.get(Label.QUANTITY, '?')} {labels.get(Label.STATE, '?')}" for labels in states)
        why = f"Of this fleet's engines some do not tell, and why: {plain(', '.join(words))}."
        st.caption(f"{why} `kvdeck exporter explain URL` tells it of one engine.")
