"""Counters of RDMA devices as Linux shows them in /sys/class/infiniband, as points.

`DEVICE/ports/PORT/hw_counters` of EFA counts bytes, RDMA and, with newer drivers, retransmits. Devices
without those (Mellanox's) have `counters`, whose data counters are in words of four bytes (InfiniBand's PortCounters).
What a device does not count is absent. `DEVICE/ports/PORT/rate` says what the link carries ("100 Gb/sec (4X EDR)"), `state` whether
it is up ("4: ACTIVE").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from exporters.collector import Point
from stack.metrics import catalog
from stack.metrics.family import Family, Label

Words = Mapping[str, str]
"""A file's text by its name."""

WORD_BYTES = 4
RATE, STATE = "rate", "state"
_RATE = re.compile(r"(\d+(?:\.\d+)?) Gb/sec\b", re.ASCII)
_ACTIVE = "ACTIVE"


@dataclass(frozen=True, slots=True)
class Counter:
    """One file that is read, and the series it becomes."""

    file: str
    family: Family
    labels: Mapping[Label, str] = field(default_factory=dict)
    factor: int = 1


HARDWARE = (
    Counter("rx_bytes", catalog.FABRIC_BYTES, {Label.DIRECTION: "receive"}),
    Counter("tx_bytes", catalog.FABRIC_BYTES, {Label.DIRECTION: "send"}),
    Counter("rdma_read_bytes", catalog.FABRIC_RDMA_BYTES, {Label.OPERATION: "read"}),
    Counter("rdma_read_resp_bytes", catalog.FABRIC_RDMA_BYTES, {Label.OPERATION: "read_by_peer"}),
    Counter("rdma_write_bytes", catalog.FABRIC_RDMA_BYTES, {Label.OPERATION: "write"}),
    Counter("rdma_write_recv_bytes", catalog.FABRIC_RDMA_BYTES, {Label.OPERATION: "written_by_peer"}),
    Counter("rdma_read_wrs", catalog.FABRIC_RDMA_OPERATIONS, {Label.OPERATION: "read"}),
    Counter("rdma_write_wrs", catalog.FABRIC_RDMA_OPERATIONS, {Label.OPERATION: "write"}),
    Counter("rdma_read_wr_err", catalog.FABRIC_RDMA_ERRORS, {Label.OPERATION: "read"}),
    Counter("rdma_write_wr_err", catalog.FABRIC_RDMA_ERRORS, {Label.OPERATION: "write"}),
    Counter("retrans_bytes", catalog.FABRIC_RETRANSMITTED_BYTES),
    Counter("retrans_pkts", catalog.FABRIC_RETRANSMITTED_PACKETS),
    Counter("rx_drops", catalog.FABRIC_DROPPED_PACKETS),
    Counter("retrans_timeout_events", catalog.FABRIC_EVENTS, {Label.REASON: "retransmit_timeout"}),
    Counter("unresponsive_remote_events", catalog.FABRIC_EVENTS, {Label.REASON: "unresponsive_remote"}),
    Counter("impaired_remote_conn_events", catalog.FABRIC_EVENTS, {Label.REASON: "impaired_remote"}),
)
STANDARD = (
    Counter("port_rcv_data", catalog.FABRIC_BYTES, {Label.DIRECTION: "receive"}, WORD_BYTES),
    Counter("port_xmit_data", catalog.FABRIC_BYTES, {Label.DIRECTION: "send"}, WORD_BYTES),
)


def link(device: str, port: str, words: Words) -> Iterator[Point]:
    """What the port's link can carry, one way; nothing where the port is down or does not say."""
    rate = _RATE.match(words.get(RATE, ""))
    if rate is not None and words.get(STATE, _ACTIVE).strip().endswith(_ACTIVE):
        yield Point(catalog.FABRIC_LINK, {Label.DEVICE: device, Label.PORT: port}, float(rate[1]) * 1e9 / 8)


def points(device: str, port: str, hardware: Words, standard: Words) -> Iterator[Point]:
    """One port's counters; the standard ones where the hardware's own have no bytes."""
    yield from _points(device, port, HARDWARE, hardware)
    if not any(counter.file in hardware for counter in HARDWARE if counter.family is catalog.FABRIC_BYTES):
        yield from _points(device, port, STANDARD, standard)


def _points(device: str, port: str, counters: tuple[Counter, ...], words: Words) -> Iterator[Point]:
    for counter in counters:
        text = words.get(counter.file, "").strip()
        if text.isascii() and text.isdigit():  # some drivers write "N/A (no PMA)"
            labels = {Label.DEVICE: device, Label.PORT: port, **counter.labels}
            yield Point(counter.family, labels, float(int(text) * counter.factor))
