"""The questions about disaggregation: phases that add up, what failed between the pools, and KV on its way."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Pattern, Where, aggregate, named, rate, ratio, selector, total
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Path

# Between engines, as opposed to what an engine moves to and from the tiers behind it.
_BETWEEN: Where = {Label.TRANSPORT: Pattern("nixl|mooncake")}
# KV is held for a request from the end of its prefill leg until the decode engine has it.
_UNTIL_FETCHED: Where = {Label.PATH: Path.DPD, Label.PHASE: Pattern("kv_transfer|decode_queue")}
_EVERY_REQUEST: Where = {Label.PHASE: "router"}  # the phase that none is without


def phase_parts(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """Unlike means over the requests that had a phase, these add up to the mean time of a request."""
    each = (Label.MODEL_NAME, Label.PATH)
    by = (*each, Label.PHASE)
    seconds = rate(catalog.ROUTER_PHASE_DURATION, by, where, window, "_sum")
    requests = rate(catalog.ROUTER_PHASE_DURATION, each, {**where, **_EVERY_REQUEST}, window, "_count")
    expr = f"{seconds} / on ({', '.join((*KEPT, *each))}) group_left () ({requests} > 0)"
    text = (
        "Seconds of each phase, over all requests of a model that took the path: means, which add up to the mean time of a "
        "request, as quantiles would not. What an engine does not tell lies in a phase beside it: the transfer in decode_queue, "
        "and the whole of answers that were not streamed in decode."
    )
    return Query(expr, "seconds", by, text)


def bandwidth(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TRANSPORT,)
    moved = rate(catalog.KV_TRANSFER_BYTES, by, {**where, **_BETWEEN}, window)
    took = rate(catalog.KV_TRANSFER_DURATION, by, {**where, **_BETWEEN}, window, "_sum")
    text = (
        "KV received from other engines, over the time that the transfers took, each of one rank: how fast KV moves while it moves."
    )
    return Query(ratio(moved, took), "bytes/s", by, text)


def moved(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "KV received from other engines, over all time."
    return Query(rate(catalog.KV_TRANSFER_BYTES, (), {**where, **_BETWEEN}, window), "bytes/s", (), text)


def failures(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TRANSPORT, Label.REASON)
    text = "KV transfers between engines that failed, expired before anyone came, or ended after the lease."
    return Query(rate(catalog.KV_TRANSFER_FAILURES, by, {**where, **_BETWEEN}, window), "1/s", by, text)


def failed(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """How many there were within `window`."""
    by = (Label.TRANSPORT, Label.REASON)
    grown = total(f"increase({selector(catalog.KV_TRANSFER_FAILURES, {**where, **_BETWEEN}, window=window)})", by)
    return Query(grown, "transfers", by, failures(where, window).help)


def on_its_way(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """By Little's law: what comes a second, times how long it stays."""
    requests = rate(catalog.ROUTER_PHASE_DURATION, (), {**where, **_EVERY_REQUEST, Label.PATH: Path.DPD}, window, "_count")
    waits = ratio(rate(catalog.ROUTER_PHASE_DURATION, (), {**where, **_UNTIL_FETCHED}, window, "_sum"), requests)
    text = (
        "KV that prefill engines hold for decode engines: an estimate, the bytes moved a second times the mean time from a prefill "
        "engine's answer until the decode engine scheduled the request (Little's law)."
    )
    return Query(f"{moved(where, window).expr} * {waits}", "bytes", (), text)


def links(where: Where = EVERYWHERE, nodes: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """What the nodes' links can carry and do, and what of KV there is to carry, told apart by `quantity`.

    `nodes` narrows what the exporters on nodes tell: of no model, and of a namespace of their own.
    """
    by = (Label.QUANTITY,)
    each = total(selector(catalog.FABRIC_LINK, nodes), (Label.INSTANCE,))
    rdma = {**nodes, Label.OPERATION: Pattern("read|write")}
    received = {**nodes, Label.DIRECTION: "receive"}
    parts = {
        "limit": aggregate("min", each, ()),
        "nodes": aggregate("count", selector(catalog.FABRIC_PORTS, nodes), ()),
        "ports": total(selector(catalog.FABRIC_PORTS, nodes), ()),
        "fabric": f"({rate(catalog.FABRIC_RDMA_BYTES, (), rdma, window)} or {rate(catalog.FABRIC_BYTES, (), received, window)})",
        "moved": moved(where, window).expr,
        "doubtful": aggregate("max", selector(catalog.KV_TRANSFER_FAILURES_DOUBTFUL, where), ()),
    }
    text = (
        "limit: bytes/s that the slowest node's links carry together; nodes and ports: that tell of RDMA; fabric: bytes/s of RDMA "
        "that nodes began (what they received, where RDMA is not counted); moved: bytes/s of KV between engines; doubtful: 1 where "
        "nearly every transfer counts as failed."
    )
    return Query(" or ".join(named(expr, Label.QUANTITY, name) for name, expr in parts.items()), "", by, text)
