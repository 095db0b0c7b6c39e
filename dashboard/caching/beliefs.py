"""What LMCache believes of the L2 behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import amounts, panels, sites
from dashboard.asking import Answers
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from dashboard.wording import plain
from stack.metrics import truth_queries
from stack.metrics.family import Label

_NO_BELIEF = "No LMCache tells how much it believes to have in L2: it has none, or has used none yet."
_MEANT = "its L2, against the one meant"


def draw(answers: Answers, scope: Scope) -> None:
    """Draw what each believes to have in L2, and whether that is the L2 that was meant."""
    panels.heading("What LMCache believes", truth_queries.believers(scope.fleet), answers)
    try:
        believers, strayed = answers.samples("believers"), answers.samples("strayed")
        counts, nodes = answers.samples("addresses"), answers.samples("daemons")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if believers:
        frame = beliefs(believers, strayed, counts)
        st.dataframe(frame, hide_index=True, key="cache-beliefs", placeholder=amounts.UNKNOWN)
    else:
        st.info(_NO_BELIEF)
    for line in [*addresses(counts), *daemons(nodes)]:
        st.caption(line)


def beliefs(believers: Sequence[Sample], strayed: Sequence[Sample], counts: Sequence[Sample]) -> pd.DataFrame:
    """A row an LMCache. Where it is known which L2 a fleet is meant to use, one of it that has not strayed uses that."""
    named = sites.names(believers, strayed, counts)
    states = {named(one): one.labels.get(Label.STATE) for one in strayed}
    judged = sites.seen(counts)
    rows = [
        {
            "LMCache": named(one),
            "believed in L2": amounts.memory(one.value),
            _MEANT: states.get(named(one), "equal" if Site.of(one.labels) in judged else None),
        }
        for one in sorted(believers, key=lambda one: -one.value)
    ]
    return pd.DataFrame(rows)


def addresses(samples: Sequence[Sample]) -> Iterator[str]:
    """How many use the L2 that was meant, a sentence a fleet."""
    if not samples:
        yield "Whether each LMCache uses the L2 that was meant is unknown: the exporter was told none (`--l2.expected-url`)."
    for beginning, counts in _fleets(samples, Label.STATE):
        told = ", ".join(f"{count:.0f} {plain(state)}" for state, count in sorted(counts.items()))
        yield f"{beginning}L2 in use against the one meant (`--l2.expected-url`): {told}."


def daemons(samples: Sequence[Sample]) -> Iterator[str]:
    """What is known of HyperPod's tiered storage, a sentence a fleet that has nodes with it."""
    for beginning, nodes in _fleets(samples, Label.QUANTITY):
        if nodes.get("nodes"):
            memory = nodes.get("memory")
            shared = "is unknown" if memory is None else f"is there on {memory:.0f}"
            answering = f"{nodes.get('answering', 0):.0f} of {nodes['nodes']:.0f} nodes"
            yield f"{beginning}HyperPod's tiered storage answers on {answering}; its shared memory {shared}."


def _fleets(samples: Sequence[Sample], by: Label) -> Iterator[tuple[str, Mapping[str, float]]]:
    """The numbers of each fleet, and how a sentence on it begins where there are several."""
    fleets: dict[Site, dict[str, float]] = {}
    for sample in samples:
        fleets.setdefault(Site.of(sample.labels), {})[sample.labels.get(by, amounts.UNKNOWN)] = sample.value
    for at in sorted(fleets):
        yield sites.beginning(at, fleets), fleets[at]
