"""What is not told, of how many targets, why, and what shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import amounts, panels
from dashboard.asking import Answers, Now, Question
from dashboard.caching import rest
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from stack.engines import lmcache_quantities as lq
from stack.engines import vllm_quantities as vq
from stack.engines.quantities import Quantity, State
from stack.metrics import doubt_queries
from stack.metrics.family import Label

_MEANS: Mapping[str, str] = {
    State.RENAMED: "told under an older name: nothing is lost",
    State.HIDDEN: "this version shows it only with --show-hidden-metrics-for-version",
    State.STALE: "told, and not refreshed: the engine may hang",
    State.RESET: "its counter just began anew: rates have it again in a moment",
    State.ABSENT: "not told",
}
"""What a state means, the mildest first."""
_ORDER = {state: -number for number, state in enumerate(_MEANS)}
_KNOWN: Mapping[str, Quantity] = {
    quantity.name: quantity
    for table in (vq.QUANTITIES, lq.MULTI_PROCESS, lq.IN_PROCESS, lq.CONTROLLER, lq.COORDINATOR)
    for quantity in table
}
_COLUMNS = {
    "quantity": st.column_config.TextColumn("quantity", help="As the exporter names it; `kvdeck exporter explain URL` lists them."),
    "state": st.column_config.TextColumn("state"),
    "targets": st.column_config.NumberColumn("targets", format="%.0f", help="Engines or LMCaches of which it is in this state."),
    "because": st.column_config.TextColumn("because", width="large"),
}


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks. What the exporter says of its targets is of no one model."""
    return {
        "unread": Now(doubt_queries.unread(scope.fleet)),
        "untold": Now(doubt_queries.untold_engines(scope.model)),
        "modes": Now(doubt_queries.modes(scope.fleet)),
        "states": Now(doubt_queries.states(scope.fleet)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    _targets(answers)
    panels.heading("Quantities that not every target tells", doubt_queries.states(scope.fleet), answers)
    try:
        frame = _frame(answers.samples("states"))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if frame.empty:
        st.info("Every target tells all that it is asked for, or none is read by the exporter yet.")
        return
    st.dataframe(frame, hide_index=True, key="cache-untold", column_config=_COLUMNS)
    st.caption("What concerns a feature that is not in use is left out. `kvdeck exporter explain URL` has each target's reasons.")


def _targets(answers: Answers) -> None:
    try:
        unread, untold, modes = (answers.samples(name) for name in ("unread", "untold", "modes"))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if unread:
        st.error(
            f"The exporter cannot read {rest.unread_named(unread)}: all that they would tell is absent, and not 0.",
            icon=":material/cloud_off:",
        )
    if untold:
        st.warning(f"Listed, and telling no prompt tokens: {rest.named(untold)}.", icon=":material/help:")
    if modes:
        st.caption(
            f"LMCaches that are read: {rest.modes_counted(modes)}. Silent ones have told nothing yet, as before a first look-up."
        )
    else:
        st.caption("No LMCache is read by the exporter: nothing of L1 and L2 is told where LMCache is them.")


def _frame(samples: Sequence[Sample]) -> pd.DataFrame:
    rows = sorted(_rows(samples), key=lambda row: (_ORDER.get(row["state"], 1), row["quantity"]))
    return pd.DataFrame(rows)


def _rows(samples: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    for sample in samples:
        name, state = (sample.labels.get(label, amounts.UNKNOWN) for label in (Label.QUANTITY, Label.STATE))
        fleet = str(Site.of(sample.labels))
        row = {"quantity": name, "state": state, "targets": sample.value, "because": _why(name, state)}
        yield {"fleet": fleet, **row} if fleet else row


def _why(name: str, state: str) -> str:
    known = _KNOWN.get(name)
    if state == State.ABSENT and known is not None and known.needs:
        return known.needs
    return _MEANS.get(state, state)
