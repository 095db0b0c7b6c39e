"""The questions about the nodes' RDMA devices. `instance` is the exporter on the node."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, rate, selector
from stack.metrics.queries import WINDOW, Query

_NODE = (Label.INSTANCE,)


def ports(where: Where = EVERYWHERE) -> Query:
    text = "Ports of RDMA devices on each node; with none KV comes over TCP."
    return Query(aggregate("max", selector(catalog.FABRIC_PORTS, where), _NODE), "ports", _NODE, text)


def traffic(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.INSTANCE, Label.DIRECTION)
    text = "All that went over a node's RDMA devices."
    return Query(rate(catalog.FABRIC_BYTES, by, where, window), "bytes/s", by, text)


def rdma(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.INSTANCE, Label.OPERATION)
    text = "RDMA reads and writes that a node began, and what its peers read from it and wrote to it; EFA alone counts them."
    return Query(rate(catalog.FABRIC_RDMA_BYTES, by, where, window), "bytes/s", by, text)


def errors(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.INSTANCE, Label.OPERATION)
    return Query(rate(catalog.FABRIC_RDMA_ERRORS, by, where, window), "1/s", by, "RDMA reads and writes that ended in an error.")


def events(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.INSTANCE, Label.REASON)
    return Query(rate(catalog.FABRIC_EVENTS, by, where, window), "1/s", by, "Times that EFA waited too long for a peer.")


def retransmitted(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Packets that EFA sent again."
    return Query(rate(catalog.FABRIC_RETRANSMITTED_PACKETS, _NODE, where, window), "packets/s", _NODE, text)


def dropped(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Packets that EFA received and dropped."
    return Query(rate(catalog.FABRIC_DROPPED_PACKETS, _NODE, where, window), "packets/s", _NODE, text)
