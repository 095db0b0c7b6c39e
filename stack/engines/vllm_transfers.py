"""KV that a vLLM engine fetched from a peer, or moved to and from its own offloading: by transport, direction and failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stack.engines import vllm_quantities as vq
from stack.engines.exposed import Exposed
from stack.engines.quantities import Quantity
from stack.engines.samples import Histogram

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
# Of the tiers behind the host's memory; failures are of jobs.
_TIERINGS = {
    "load": (vq.TIER_READ_BYTES, vq.TIER_READ_TIME, {"promotion": vq.PROMOTIONS_FAILED}),
    "store": (vq.TIER_WRITTEN_BYTES, vq.TIER_WRITE_TIME, {"cascade": vq.CASCADES_FAILED}),
}
# Keys that could not be put are no failed transfers: the store did not take them (`vllm.EngineReading.allocation_failures`).
_STORES: dict[str, tuple[Quantity, Quantity, dict[str, Quantity]]] = {
    "load": (vq.GOT_BYTES, vq.GET_TIME, {"get": vq.GETS_FAILED}),
    "store": (vq.PUT_BYTES, vq.PUT_TIME, {}),
}
# So many transfers must have been tried before their failing all is worth a word, and this share of them failed.
TRIED, _NEARLY_ALL = 10, 0.99


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

    @property
    def failures_doubtful(self) -> bool | None:
        """NIXL counts nearly every transfer as failed; None where it does not tell, or tried too few.

        So counts a NIXL without telemetry, also what it completed; a peer that cannot be reached at all looks the same.
        """
        failed = self.failures.get("transfer")
        if self.transport != "nixl" or failed is None or self.seconds is None:
            return None
        tried = failed + self.seconds.count
        return failed >= _NEARLY_ALL * tried if tried >= TRIED else None


def pull_failures() -> frozenset[str]:
    """Every reason for which KV from another engine may fail to come."""
    return frozenset(reason for _, _, failures in _PULLS.values() for reason in failures)


def transfers(exposed: Exposed) -> Iterator[Transfers]:
    """One for each transport and direction of which anything is told."""
    yield from _pulls(exposed)
    yield from _offloads(exposed)
    yield from _tierings(exposed)
    yield from _stores(exposed)


def _pulls(exposed: Exposed) -> Iterator[Transfers]:
    for transport, (size, seconds, failures) in _PULLS.items():
        failed = exposed.numbers(failures)
        moved, took = exposed.number(size), exposed.histogram(seconds)
        if moved is not None or took is not None or failed:
            yield Transfers(transport, "receive", moved, took, failed)


def _offloads(exposed: Exposed) -> Iterator[Transfers]:
    for direction, (size, seconds) in _OFFLOADS.items():
        moved, took = exposed.number(size), exposed.number(seconds)
        if moved is not None or took is not None:
            yield Transfers("offload", direction, moved, busy_seconds=took)


def _tierings(exposed: Exposed) -> Iterator[Transfers]:
    for direction, (size, seconds, failures) in _TIERINGS.items():
        failed, moved = exposed.numbers(failures), exposed.number(size)
        if moved is not None or failed:
            took = exposed.number(seconds) if _all_timed(exposed, size, seconds) else None
            yield Transfers("offload_tier", direction, moved, failures=failed, busy_seconds=took)


def _all_timed(exposed: Exposed, size: Quantity, seconds: Quantity) -> bool:
    """Every tier that moved bytes tells its time: with one that does not, bytes over seconds would be too fast."""
    moved, timed = (exposed.samples.by("tier", quantity.aliases[0].name) for quantity in (size, seconds))
    return moved.keys() <= timed.keys()


def _stores(exposed: Exposed) -> Iterator[Transfers]:
    for direction, (size, seconds, failures) in _STORES.items():
        failed, moved = exposed.numbers(failures), exposed.number(size)
        if moved is not None or failed:
            yield Transfers("mooncake_store", direction, moved, failures=failed, busy_seconds=exposed.number(seconds))
