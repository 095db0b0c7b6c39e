"""What a link can carry, by whoever knows it, and whether KV takes the fabric at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.promapi import Sample
from dashboard.scope import Scope
from stack.metrics import dpd_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where
from stack.metrics.queries import Query

GIGABIT = 1e9 / 8  # bytes
_MOVES, _STANDS = 10e6, 1e6  # bytes a second, as the alert KvdeckTransferOverTcp has it
_UNKNOWN = (
    "What the link can carry is not known: no exporter on the nodes tells (--collector.fabric). Give it above to see it as a line."
)


@dataclass(frozen=True, slots=True)
class Link:
    """The limit in bytes a second, None where nobody knows it; `words` say by whom. `warning`: KV does not take the fabric."""

    limit: float | None
    words: str
    warning: str = ""


def links(scope: Scope) -> Query:
    """What is asked of Prometheus; the exporters on nodes have a namespace of their own, so that only the cluster narrows them."""
    cluster: Where = {label: value for label, value in scope.fleet.items() if label is Label.CLUSTER}
    return dpd_queries.links(scope.model, cluster, scope.window)


def link(samples: Sequence[Sample], given: float | None) -> Link:
    """By the operator, who `given` it in bytes a second, else by the exporters on the nodes."""
    told = by_quantity(samples)
    warning = _off_fabric(told)
    if given is not None:
        return Link(given, f"The link's limit is as given above: {given / GIGABIT:,.0f} Gbit/s.", warning)
    if "limit" in told:
        each = f"{told['limit'] / GIGABIT:,.0f} Gbit/s"
        return Link(told["limit"], f"{each} is what the slowest node's links carry together, as its exporter tells.", warning)
    if told.get("nodes") and not told.get("ports"):
        return Link(
            None, f"None of {told['nodes']:,.0f} nodes has an RDMA device: KV goes over TCP, whose limit is not known.", warning
        )
    return Link(None, _UNKNOWN, warning)


def by_quantity(samples: Sequence[Sample]) -> dict[str, float]:
    """Each quantity's value; of several fleets the rates are added up, the lowest limit counts, and any doubt."""
    found: dict[str, list[float]] = {}
    for sample in samples:
        found.setdefault(sample.labels.get(Label.QUANTITY, ""), []).append(sample.value)
    of_all = {"limit": min, "doubtful": max}
    return {quantity: float(of_all.get(quantity, sum)(values)) for quantity, values in found.items()}


def _off_fabric(told: dict[str, float]) -> str:
    moved, fabric = told.get("moved"), told.get("fabric")
    if moved is None or fabric is None or moved <= _MOVES or fabric > _STANDS:
        return ""
    return f"KV moves at {moved / 1e6:,.0f} MB/s while the RDMA devices carry {fabric / 1e6:,.1f} MB/s: it goes over TCP."
