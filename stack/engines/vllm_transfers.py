"""KV that a vLLM engine fetched from a peer, or moved to and from its own offloading: by transport, direction and failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stack.engines import vllm_quantities as vq
from stack.engines.samples import Histogram
from stack.engines.vllm_exposed import Exposed

# The engine that pulls does the counting, so what it counts it received.
_PULLS = {
    "nixl": (
        vq.NIXL_BYTES,
        vq.NIXL_TIME,
        {"transfer": vq.NIXL_FAILED, "expired": vq.NIXL_EXPIRED, "late_notification": vq.NIXL_LATE},
    ),
    "mooncake": (
        vq.MOONCAKE_BYTES,
        vq.MOONCAKE_TIME,
        {"transfer": vq.MOONCAKE_FAILED, "receive": vq.MOONCAKE_RECEIVE_FAILED, "expired": vq.MOONCAKE_EXPIRED},
    ),
}
_OFFLOADS = {"load": (vq.LOADED_BYTES, vq.LOAD_TIME), "store": (vq.STORED_BYTES, vq.STORE_TIME)}


@dataclass(frozen=True, slots=True)
class Transfers:
    """KV an engine moved over one transport, cumulative; absent parts are None. `failures` by reason.

    `busy_seconds` is for a transport that tells the time it took and not each transfer's.
    """

    transport: str
    direction: str
    bytes: float | None
    seconds: Histogram | None = None
    failures: Mapping[str, float] = field(default_factory=dict)
    busy_seconds: float | None = None


def transfers(exposed: Exposed) -> Iterator[Transfers]:
    """One for each transport and direction of which anything is told."""
    yield from _pulls(exposed)
    yield from _offloads(exposed)


def _pulls(exposed: Exposed) -> Iterator[Transfers]:
    for transport, (size, seconds, failures) in _PULLS.items():
        failed = {reason: value for reason, quantity in failures.items() if (value := exposed.number(quantity)) is not None}
        moved, took = exposed.number(size), exposed.histogram(seconds)
        if moved is not None or took is not None or failed:
            yield Transfers(transport, "receive", moved, took, failed)


def _offloads(exposed: Exposed) -> Iterator[Transfers]:
    for direction, (size, seconds) in _OFFLOADS.items():
        moved, took = exposed.number(size), exposed.number(seconds)
        if moved is not None or took is not None:
            yield Transfers("offload", direction, moved, busy_seconds=took)
