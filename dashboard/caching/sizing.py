"""Would a bigger L1 help: the answer, its evidence, and the way to try it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, links, notices, panels, sites, sources
from dashboard.asking import Answers, Now, Over, Question
from dashboard.caching.judgement import Answer, Evidence, Judgement, judge, overall
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.wording import code
from stack.control.cache_effects import L1_BYTES
from stack.metrics import queries, sizing_queries
from stack.metrics.family import Label
from stack.metrics.promql import loosely
from stack.metrics.queries import Query
from stack.metrics.tier_queries import STAY_WINDOW
from stack.model.tier import Tier

_STEP = 1 << 28  # suggestions are whole quarters of a GiB
_KINDS = tuple(each.name for each in fields(Evidence))
_SAID = {
    Answer.YES: (st.warning, ":material/add_circle:", "Yes"),
    Answer.NO: (st.success, ":material/check_circle:", "No"),
    Answer.UNKNOWN: (st.info, ":material/help:", "Unknown"),
}
_ORDER = list(_SAID)
_COLUMNS = {
    "L1": st.column_config.TextColumn("L1", help="The LMCache server, or the engine that has one."),
    "bigger?": st.column_config.TextColumn("bigger?"),
    "size": st.column_config.TextColumn("size", help="kvdeck_cache_capacity_bytes"),
    "full": st.column_config.NumberColumn("full", format=amounts.PERCENT, help="kvdeck_cache_used_ratio"),
    "evicted": st.column_config.NumberColumn("evicted", format="%.0f", help="Chunks, one a rank."),
    "asked for again": st.column_config.NumberColumn(format=amounts.PERCENT, help="Of evictions that were followed."),
    "after": st.column_config.TextColumn("after", help="From eviction to the next use, mean."),
    "lived": st.column_config.TextColumn("lived", help="From its first to its eviction, mean."),
    "between two uses": st.column_config.TextColumn(help="Mean of the chunks that were still there: the reuse gap."),
    "L1 found": st.column_config.NumberColumn(format=amounts.PERCENT, help="Tokens found of those looked up."),
    "L2 found instead": st.column_config.NumberColumn(
        format=amounts.PERCENT, help="Tokens that L2 found, of those L1 was asked for: the most a bigger L1 can take over from L2."
    ),
    "because": st.column_config.TextColumn("because", width="large"),
}  # fmt: skip


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks."""
    return {
        "evidence": Now(sizing_queries.evidence(scope.model)),
        "places": Now(sizing_queries.places(scope.model)),
        "stays": Over(_stays(scope)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    panels.heading(f"Would a bigger L1 help? By the last {STAY_WINDOW}", sizing_queries.evidence(scope.model), answers)
    try:
        told = evidence(answers.samples("evidence"))
    except PrometheusUnavailableError as error:
        panels.failed(error)
    else:
        _answer(told, answers)
    title = "How long L1's chunks stay and wait, medians"
    panels.series(title, _stays(scope), answers, "stays", scope.span, changes, nothing=_NO_STAYS)


_NO_STAYS = "Nobody tells how long L1's chunks stay: LMCache's server does (from 0.5.6 on) once some were evicted or used again."


def evidence(samples: Sequence[Sample]) -> dict[str, Evidence]:
    """By L1, each with its fleet where there are several."""
    found: dict[str, dict[str, float]] = {}
    named = sites.names(samples)
    for sample in samples:
        if (kind := sample.labels.get(Label.QUANTITY, "")) in _KINDS:
            found.setdefault(named(sample), {})[kind] = sample.value
    return {place: Evidence(**numbers) for place, numbers in found.items()}


def _answer(told: Mapping[str, Evidence], answers: Answers) -> None:
    if not told:
        st.info("Unknown: no L1 tells anything of itself. There is none that the exporter reads, or it has told nothing yet.")
        return
    judged = {place: judge(each) for place, each in told.items()}
    answer = overall(list(judged.values()))
    show, icon, word = _SAID[answer]
    reasons = [f"{code(place)}: {found.why}." for place, found in judged.items() if found.answer is answer]
    more = f" And {len(reasons) - 2} more." if len(reasons) > 2 else ""
    show(f"**{word}.** {' '.join(reasons[:2])}{more}", icon=icon)
    rows = [_row(place, told[place], judged[place]) for place in sorted(told, key=lambda place: _ORDER.index(judged[place].answer))]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="cache-larger", column_config=_COLUMNS, placeholder=amounts.UNKNOWN)
    _others(len(told), answers)
    if answer is Answer.YES:
        _try([told[place] for place, found in judged.items() if found.answer is Answer.YES])


def _row(place: str, told: Evidence, found: Judgement) -> dict[str, Any]:
    return {
        "L1": place,
        "bigger?": found.answer.value,
        "size": None if told.capacity is None else amounts.memory(told.capacity),
        "full": amounts.hundredths(told.used),
        "evicted": told.evicted,
        "asked for again": amounts.hundredths(told.missed),
        "after": None if told.gap is None else amounts.duration(told.gap),
        "lived": None if told.lived is None else amounts.duration(told.lived),
        "between two uses": None if told.reuse is None else amounts.duration(told.reuse),
        "L1 found": _share(told.found, told.asked),
        "L2 found instead": _share(told.behind, told.asked),
        "because": found.why,
    }


def _share(part: float | None, whole: float | None) -> float | None:
    return amounts.hundredths(part / whole) if part is not None and whole else None


def _others(shown: int, answers: Answers) -> None:
    try:
        there = sum(sample.value for sample in answers.samples("places"))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if there > shown:
        st.caption(f"{shown} of {there:.0f} L1s, those that evict most.")


def _try(wanting: Sequence[Evidence]) -> None:
    """The way to try it: by control, where it knows the servers; the change is previewed and applied on its own page."""
    sizes = [each.capacity * (each.growth or 2.0) for each in wanting if each.capacity is not None]
    if not sizes:
        st.caption("To try it start the servers with more memory (LMCache: --l1-size-gb). How much they have is not told.")
        return
    wanted = int(-(-max(sizes) // _STEP) * _STEP)
    with notices.quiet():
        if sources.state().applied.caches:
            if not sources.may_operate():
                notices.looking("resizing L1")
                return
            tip = "Opens the change as a draft. Its preview says what it costs, or that control cannot restart the servers here."
            label = f"Try it: {amounts.memory(wanted)} of L1, on the Control page"
            links.page_link("control", label, {"set": f"{L1_BYTES}={wanted}"}, icon=":material/tune:", tip=tip)
            return
    by = f"{amounts.memory(wanted)} (LMCache: --l1-size-gb {wanted / 2**30:g})"
    st.caption(f"To try it start the servers with about {by}: control knows of no server to resize.")


def _stays(scope: Scope) -> Query:
    narrowed = {**loosely(scope.model, Label.MODEL_NAME), Label.TIER: Tier.L1}
    return queries.residency(0.5, narrowed, STAY_WINDOW)
