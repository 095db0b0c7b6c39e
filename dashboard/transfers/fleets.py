"""What cannot be told of several fleets at once: the page says which there are, and has one of them picked."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import charts
from dashboard.promapi import Sample
from stack.metrics.family import Label
from stack.metrics.promql import KEPT


def one_fleet(samples: Sequence[Sample], frame: pd.DataFrame, why: str) -> bool:
    """Whether all of it is of one cluster and namespace; else say `why` that matters."""
    seen = fleets(samples)
    if len(seen) > 1 or charts.apart(frame):
        names = ", ".join(sorted(" ".join(filter(None, one)) or "(unnamed)" for one in seen))
        st.info(f"{why}: pick a cluster or namespace above. Seen: {names or 'several'}.", icon=":material/filter_alt:")
        return False
    return True


def fleets(samples: Sequence[Sample]) -> set[tuple[str, ...]]:
    """The fleets that `samples` are of, by cluster and namespace."""
    return {tuple(sample.labels.get(label, "") for label in KEPT) for sample in samples}


def models(samples: Sequence[Sample]) -> set[str]:
    """The models that `samples` are of."""
    return {sample.labels.get(Label.MODEL_NAME, "") for sample in samples}
