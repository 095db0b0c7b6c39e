"""Questions about what there is: fleets, models and engines, as the exporter lists them."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, selector
from stack.metrics.queries import Query


def fleets(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODEL_NAME,)
    text = "Listed engines by model, in each cluster and namespace."
    return Query(aggregate("count", selector(catalog.TARGET_INFO, where), by), "engines", by, text)


def kinds(where: Where = EVERYWHERE) -> Query:
    by = (Label.EMULATED,)
    text = "Listed engines, emulated ones apart, in each cluster and namespace."
    return Query(aggregate("count", selector(catalog.TARGET_INFO, where), by), "engines", by, text)
