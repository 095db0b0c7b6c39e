"""What LMCache believes of the L2 behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import notices, panels
from dashboard.asking import Answers
from dashboard.caching import amounts
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from stack.metrics import truth_queries
from stack.metrics.family import Label

_NO_BELIEF = "No LMCache tells how much it believes to have in L2: it has none, or has used none yet."
_MEANT = "its L2, against the one meant"


def draw(answers: Answers, scope: Scope) -> None:
    """Draw what each believes to have in L2, and whether that is the L2 that was meant."""
    panels.heading("What LMCache believes", truth_queries.believers(scope.fleet), answers)
    try:
        believers, strayed = answers.samples("believers"), answers.samples("strayed")
        counts = {sample.labels.get(Label.STATE, "?"): sample.value for sample in answers.samples("addresses")}
        nodes = {sample.labels.get(Label.QUANTITY): sample.value for sample in answers.samples("daemons")}
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if believers:
        states = {amounts.place(sample): sample.labels.get(Label.STATE) for sample in strayed}
        _table(believers, states, judged=bool(counts))
    else:
        st.info(_NO_BELIEF)
    st.caption(_addresses(counts))
    if nodes.get("nodes"):
        st.caption(_daemons(nodes))


def _table(believers: Sequence[Sample], states: Mapping[str, str | None], *, judged: bool) -> None:
    """`judged`: which L2 is meant is known, so that one which has not strayed uses it."""
    rows = [
        {"LMCache": amounts.place(one), "believed in L2": amounts.memory(one.value), _MEANT: states.get(amounts.place(one))}
        for one in sorted(believers, key=lambda one: -one.value)
    ]
    like = "equal" if judged else notices.UNKNOWN
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="cache-beliefs", placeholder=like)


def _addresses(counts: Mapping[str, float]) -> str:
    if not counts:
        return "Whether each LMCache uses the L2 that was meant is unknown: the exporter was told none (`--l2.expected-url`)."
    told = ", ".join(f"{count:.0f} {state}" for state, count in sorted(counts.items()))
    return f"L2 in use against the one meant (`--l2.expected-url`): {told}."


def _daemons(nodes: Mapping[str | None, float]) -> str:
    memory = nodes.get("memory")
    shared = "is unknown" if memory is None else f"is there on {memory:.0f}"
    answering = f"{nodes.get('answering', 0):.0f} of {nodes['nodes']:.0f} nodes"
    return f"HyperPod's tiered storage answers on {answering}; its shared memory {shared}."
