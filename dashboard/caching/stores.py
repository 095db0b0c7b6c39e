"""The stores behind LMCache by their own word, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, panels, sites
from dashboard.asking import Answers
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from stack.metrics import truth_queries
from stack.metrics.family import Label

_NO_STORE = (
    "No store tells anything: the exporter reads Redis and Valkey (`--store NAME=URL`). What other kinds of L2 hold, or drop, "
    "nobody can say."
)
_FLAGS = {"persists": "persistence", "linked": "link to its primary", "cluster": "cluster"}


def draw(answers: Answers, window: str, scope: Scope) -> None:
    """Draw the table: a column a store."""
    panels.heading("The store, by its own word", truth_queries.stores(scope.fleet, window), answers)
    try:
        told, policies = answers.samples("stores"), answers.samples("policies")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    frame = words(told, policies)
    if frame.empty:
        st.info(_NO_STORE)
        return
    st.dataframe(frame, key="cache-stores", height="content", placeholder=amounts.UNKNOWN)


def words(told: Sequence[Sample], policies: Sequence[Sample]) -> pd.DataFrame:
    """A column a store, those of several fleets with their fleet."""
    stores: dict[str, dict[str, float]] = {}
    named = sites.names(told, policies)
    for sample in told:
        stores.setdefault(named(sample), {})[sample.labels[Label.QUANTITY]] = sample.value
    kept = {named(sample): sample.labels.get(Label.POLICY) for sample in policies}
    return pd.DataFrame({name: _words(numbers, kept.get(name)) for name, numbers in stores.items()})


def _words(told: Mapping[str, float], policy: str | None) -> dict[str, Any]:
    """A store's properties, each with its unit; None is unknown."""

    def count(name: str, unit: str = "") -> str | None:
        return f"{told[name]:,.0f}{unit}" if name in told else None

    return {
        "memory used": amounts.memory(told["used"]) if "used" in told else None,
        "maxmemory": amounts.memory(told["maxmemory"]) if "maxmemory" in told else None,
        "used of it": amounts.percent(told["full"]) if "full" in told else None,
        "when full": policy,
        "KV in it (estimate)": amounts.memory(told["kv_bytes"]) if "kv_bytes" in told else None,
        "keys": count("keys"),
        "of them KV (estimate)": count("kv_keys"),
        "estimated from": count("sampled", " keys"),
        "evicted by itself": f"{told['evicted']:,.3g} keys/s" if "evicted" in told else None,
        "expired": f"{told['expired']:,.3g} keys/s" if "expired" in told else None,
        "PING": amounts.duration(told["ping"]) if "ping" in told else None,
        "clients": count("clients"),
        "up for": amounts.duration(told["uptime"]) if "uptime" in told else None,
    } | {words: ("well" if told[name] else "broken") for name, words in _FLAGS.items() if name in told}
