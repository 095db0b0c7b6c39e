"""Found is not loaded: what LMCache finds beside what engines really load, and what failed on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import amounts, panels, sites
from dashboard.asking import Answers, Now, Over, Question
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.wording import code, plain
from stack.metrics import cache_queries
from stack.metrics.cache_queries import FOUND, LOADED
from stack.metrics.family import Label
from stack.metrics.promql import loosely

NOW = "15m"
# As the rule KvdeckFoundNotLoaded has it: of 20 tokens found beyond the engine's own not one is loaded, and they are many.
_LOST, _LEAST = 20.0, 20_000 / (15 * 60)
_COLUMNS = {
    "engine": st.column_config.TextColumn("engine"),
    FOUND: st.column_config.NumberColumn("found, tokens/s", format="%.1f", help="By LMCache, beyond what the engine itself held."),
    LOADED: st.column_config.NumberColumn("loaded, tokens/s", format="%.1f", help="kvdeck_cache_loaded_tokens_total"),
    "of use": st.column_config.NumberColumn("of use", format=amounts.PERCENT, help="Loaded of found."),
}


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks."""
    where, window = scope.model, scope.window
    shared = loosely(where, Label.MODEL_NAME)
    return {
        "engines now": Now(cache_queries.found_not_loaded(where, NOW)),
        "doubts": Now(cache_queries.doubtful(shared)),
        "inside": Over(cache_queries.found_and_loaded(where, window)),
        "servers": Over(cache_queries.chunks_found_and_loaded(shared, window)),
        "failures": Over(cache_queries.load_failures(shared, window)),
        "no room": Over(cache_queries.allocation_failures(shared, window)),
        "exits": Over(cache_queries.early_exits(shared, window)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    where, window, span = scope.model, scope.window, scope.span
    shared = loosely(where, Label.MODEL_NAME)
    title = "Engines that load least of what LMCache finds, the last 15 minutes"
    panels.heading(title, cache_queries.found_not_loaded(where, NOW), answers)
    _engines(answers)
    _doubts(answers)
    left, right = st.columns(2)
    with left:
        query = cache_queries.found_and_loaded(where, window)
        panels.series("LMCache inside engines", query, answers, "inside", span, changes, nothing=_NOT_INSIDE)
        query = cache_queries.load_failures(shared, window)
        panels.series("Could not be loaded", query, answers, "failures", span, changes, nothing=_NONE_FAILED)
    with right:
        query = cache_queries.chunks_found_and_loaded(shared, window)
        panels.series("LMCache's servers", query, answers, "servers", span, changes, nothing=_NO_SERVER)
        query = cache_queries.allocation_failures(shared, window)
        panels.series("Had no room", query, answers, "no room", span, changes, nothing=_ALL_TAKEN)
    query = cache_queries.early_exits(shared, window)
    panels.series("Look-ups that ended without looking", query, answers, "exits", span, changes, nothing=_ALL_LOOKED)


_NOT_INSIDE = "No LMCache inside an engine tells of look-ups: servers are on the right."
_NO_SERVER = "No LMCache server tells of chunks found or loaded: none is read by the exporter, or nothing was looked up yet."
_NONE_FAILED = "Nothing that was to be loaded failed; LMCache tells of it once it did."
_ALL_TAKEN = "Every tier took what it was given, or does not tell."
_ALL_LOOKED = "No look-up ended without looking; LMCache tells of it once one did."


def _engines(answers: Answers) -> None:
    try:
        frame = use(answers.samples("engines now"))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if frame.empty:
        st.info("No engine is known to load less than LMCache finds for it. Only LMCache inside engines tells both in tokens.")
        return
    lost = frame[(frame[FOUND] >= _LEAST) & (frame[FOUND] > _LOST * frame[LOADED])]["engine"]
    if len(lost):
        text = f"{', '.join(map(code, lost))}: next to nothing of what LMCache finds is loaded, it is computed again."
        st.error(f"{text} Look for load errors in the engine's log.", icon=":material/sync_problem:")
    st.dataframe(frame, hide_index=True, key="cache-lost", column_config=_COLUMNS, placeholder=amounts.UNKNOWN)


def use(samples: Sequence[Sample]) -> pd.DataFrame:
    """A row an engine of which both is told, those of least use first; engines of several fleets with their fleet."""
    told: dict[str, dict[str, float]] = {}
    named = sites.names(samples)
    for sample in samples:
        told.setdefault(named(sample), {})[sample.labels[Label.QUANTITY]] = sample.value
    rows = [
        {"engine": name, FOUND: each[FOUND], LOADED: each[LOADED], "of use": amounts.hundredths(each[LOADED] / each[FOUND])}
        for name, each in told.items()
        if each.get(FOUND) and LOADED in each
    ]
    return pd.DataFrame(rows).sort_values("of use") if rows else pd.DataFrame()


def _doubts(answers: Answers) -> None:
    try:
        doubts = answers.samples("doubts")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    named = sites.names(doubts)
    if doubtful := [sample for sample in doubts if sample.value]:
        names = ", ".join(f"{code(named(one))} ({plain(one.labels.get(Label.REASON, amounts.UNKNOWN))})" for one in doubtful)
        st.warning(f"All numbers here are too low at {names}: LMCache lost events before it counted them.", icon=":material/help:")
