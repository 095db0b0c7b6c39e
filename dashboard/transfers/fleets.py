"""What cannot be told of several fleets or models at once: the page says which there are, and has one of them picked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd
import streamlit as st

from dashboard.promapi import Sample
from dashboard.sites import apart, seen
from dashboard.wording import plain
from stack.metrics.family import Label


def one_fleet(samples: Sequence[Sample], frame: pd.DataFrame, why: str) -> bool:
    """Whether all of it is of one cluster and namespace; else say `why` that matters."""
    there = seen(samples)
    if len(there) > 1 or apart(frame):
        names = ", ".join(str(one) or "(unnamed)" for one in sorted(there))
        st.info(f"{why}: pick a cluster or namespace above. Seen: {plain(names or 'several')}.", icon=":material/filter_alt:")
        return False
    return True


def one_model(served: Collection[str], why: str) -> bool:
    """Whether these are one model; else say `why` that matters."""
    if len(served) > 1:
        st.info(f"{why}: pick one above. Seen: {plain(', '.join(sorted(served)))}.", icon=":material/filter_alt:")
    return len(served) <= 1


def models(samples: Sequence[Sample]) -> set[str]:
    """The models that `samples` are of."""
    return {sample.labels.get(Label.MODEL_NAME, "") for sample in samples}
