"""The tiers side by side: what they find, hold, evict, and how long KV stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, charts, panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from stack.metrics import queries, tier_queries
from stack.metrics.family import Label
from stack.metrics.tier_queries import STAY_WINDOW, USED

NOW = "5m"
_ROWS = {"engine": "engine (GPU)", "l1": "L1 (host)", "l2": "L2 (shared store)", "lmcache": "L1 and L2 of LMCache inside engines"}
_UNTOLD = {
    "blocks": "nobody tells of engines' evictions. kvdeck's router does, of engines with KV events.",
    "chunks": "nobody tells of LMCache's evictions. There is no LMCache that is read, or none has evicted.",
    "keys": "nobody tells of a store's evictions. There is no Redis or Valkey that is read.",
}
_UNITS = tuple(_UNTOLD)
_STAYS = {
    "lifetime": "lived", "idle_before_evict": "unused before eviction", "reuse_gap": "between two uses",
    "evict_reuse_gap": "asked for again after",
}  # fmt: skip
_NO_FLAG = "engines tell how long blocks stay only with --kv-cache-metrics"
_WHY = {
    ("engine", "used"): "engines tell bytes only where they were given a number of bytes for KV",
    ("engine", "evicted"): "engines' evictions are told by kvdeck's router, of engines with KV events",
    ("engine", "lived"): _NO_FLAG,
    ("l1", "hit ratio"): "L1's hits are told apart from LMCache 0.5.6 on, or by vLLM's own offloading",
    ("l1", "lived"): "LMCache tells how long chunks stay once sampled ones were evicted, and not inside engines",
    ("l2", "used"): "what L2 holds is told by a Redis or Valkey that the exporter reads (--store)",
    ("l2", "lived"): "nobody tells how long keys stay in a store",
    ("lmcache", "used"): "LMCache inside engines tells one hit ratio for both of its tiers, and the bytes of each under l1 and l2",
}  # fmt: skip
"""Why a cell of the table is unknown."""
_NO_STAYS = "Nobody tells how long KV stays. Engines do with --kv-cache-metrics, LMCache once chunks were evicted or used again."
_COLUMNS = {
    "fleet": st.column_config.TextColumn("fleet", help="Cluster and namespace."),
    "tier": st.column_config.TextColumn("tier", width="medium"),
    "hit ratio": st.column_config.NumberColumn("hit ratio", format=amounts.PERCENT, help=queries.hit_ratio().help),
    "used": st.column_config.TextColumn("used", help="kvdeck_cache_used_bytes, all places of the tier together."),
    "capacity": st.column_config.TextColumn("capacity", help="kvdeck_cache_capacity_bytes; unknown where none is told."),
    "evicted": st.column_config.TextColumn("evicted", help=tier_queries.evictions().help),
    "lived": st.column_config.TextColumn("lived", help="Half of the sampled blocks or chunks lived at most so long."),
    "unused before eviction": st.column_config.TextColumn(help="Half of those evicted had lain unused at most so long."),
    "between two uses": st.column_config.TextColumn(help="Half of those used again were so within this time: the reuse gap."),
    "asked for again after": st.column_config.TextColumn(help="From eviction to the next use: small means too small a tier."),
}  # fmt: skip


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks."""
    where, window = scope.model, scope.window
    return {
        "hits": Over(queries.hit_ratio(where, window)),
        "hits now": Now(queries.hit_ratio(where, NOW)),
        "fullness": Over(tier_queries.fullness(where)),
        "held now": Now(tier_queries.held(where)),
        "evictions": Over(tier_queries.evictions(where, window)),
        "evictions now": Now(tier_queries.evictions(where, NOW)),
        "stays": Over(tier_queries.stays(where)),
        "stays now": Now(tier_queries.stays(where)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    where, window, span = scope.model, scope.window, scope.span
    _table(answers)
    hits, fullness, stays = queries.hit_ratio(where, window), tier_queries.fullness(where), tier_queries.stays(where)
    left, right = st.columns(2)
    with left:
        panels.series("Hit ratio, of what each tier was asked for", hits, answers, "hits", span, changes)
    with right:
        panels.series("Used share: the fullest place, and the middle", fullness, answers, "fullness", span, changes)
    _evictions(answers, scope, changes)
    title = f"How long KV stays and waits, medians of {STAY_WINDOW}"
    panels.series(title, stays, answers, "stays", span, changes, nothing=_NO_STAYS)


def _table(answers: Answers) -> None:
    st.markdown(
        "**Now**", help=f"Ratios and evictions over the last 5 minutes, stays over {STAY_WINDOW}, bytes as of the last scrape."
    )
    try:
        rows = _rows(answers)
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if not rows:
        st.info("No tier tells anything yet: kvdeck's exporter reads engines, LMCache and stores, and none has answered it.")
        return
    frame = pd.DataFrame([row for _, row in sorted(rows.items())])
    if frame["fleet"].eq("").all():
        frame = frame.drop(columns="fleet")
    st.dataframe(frame, hide_index=True, key="cache-tiers", column_config=_COLUMNS, placeholder=amounts.UNKNOWN)
    reasons = [why for (tier, column), why in _WHY.items() if any(_lacks(row, tier, column) for row in rows.values())]
    if reasons:
        st.caption(f"Unknown: {'; '.join(dict.fromkeys(reasons))}.")


def _lacks(row: Mapping[str, Any], tier: str, column: str) -> bool:
    return row["tier"] == _ROWS[tier] and row[column] is None


def _rows(answers: Answers) -> dict[tuple[str, int], dict[str, Any]]:
    """A row for each fleet and tier that tells anything, in the order of tiers. Raises PrometheusUnavailableError."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}

    def row(sample: Sample) -> dict[str, Any]:
        name = sample.labels.get(Label.TIER, "")
        at = (str(Site.of(sample.labels)), list(_ROWS).index(name) if name in _ROWS else len(_ROWS))
        empty = dict.fromkeys(_COLUMNS) | {"fleet": at[0], "tier": _ROWS.get(name, name)}
        return rows.setdefault(at, empty)

    for sample in answers.samples("hits now"):
        row(sample)["hit ratio"] = amounts.hundredths(sample.value)
    for sample in answers.samples("held now"):
        row(sample)["used" if sample.labels[Label.QUANTITY] == USED else "capacity"] = amounts.memory(sample.value)
    for sample in answers.samples("evictions now"):
        told = f"{sample.value:,.3g} {sample.labels[Label.QUANTITY]}/s"
        kept = row(sample)
        kept["evicted"] = told if kept["evicted"] is None else f"{kept['evicted']}, {told}"
    for sample in answers.samples("stays now"):
        if (column := _STAYS.get(sample.labels.get(Label.EVENT, ""))) is not None:
            row(sample)[column] = amounts.duration(sample.value)
    return rows


def _evictions(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """One chart a unit, side by side: on one axis blocks, chunks and keys would look comparable."""
    query = tier_queries.evictions(scope.model, scope.window)
    panels.heading("Evicted, each tier in its own unit", query, answers)
    try:
        frame = answers.frame("evictions")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    for unit, column in zip(_UNITS, st.columns(len(_UNITS)), strict=True):
        part = frame[frame[Label.QUANTITY] == unit] if Label.QUANTITY in frame else frame
        with column:
            if part.empty:
                st.caption(f"{unit}/s: {_UNTOLD[unit]}")
                continue
            figure = charts.lines(reader.local(part), (Label.TIER,), f"{unit}/s", scope.span)
            alt = f"Evicted {unit} a second by tier. {query.help}"
            st.plotly_chart(charts.marked(figure, changes), key=f"cache-evicted-{unit}", config=panels.PLAIN, alt=alt)
