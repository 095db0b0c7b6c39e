"""The blocks that a prefill engine keeps for decode engines, each for a limited time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stack.emulator.telemetry import Telemetry
from stack.emulator.transfer import Claim, Lease


class Leases:
    """One engine's leases, by request id. `release` gives blocks back to the pool."""

    def __init__(self, lease_seconds: float, release: Callable[[Sequence[int]], None], telemetry: Telemetry) -> None:
        self._lease_seconds = lease_seconds
        self._release = release
        self._telemetry = telemetry
        self._leases: dict[str, Lease] = {}

    def grant(self, request_id: str, blocks: list[int], now: float) -> None:
        """Keep `blocks` until they are read or the lease ends."""
        self._leases[request_id] = Lease(request_id, blocks, now + self._lease_seconds)

    def claim(self, request_id: str) -> Claim:
        """A decode engine will read these; its heartbeats keep the lease from now on."""
        lease = self._leases.get(request_id)
        if lease is None:
            self._telemetry.notified_after_expiry()
            return Claim.GONE
        lease.expires_at = None
        return Claim.HELD

    def give_up(self, request_id: str) -> None:
        """The reader is done with it."""
        lease = self._leases.pop(request_id, None)
        if lease is not None:
            self._release(lease.blocks)

    def expire(self, now: float) -> None:
        """End what is overdue."""
        for lease in list(self._leases.values()):
            if lease.expires_at is not None and lease.expires_at <= now:
                self._telemetry.lease_expired()
                self.give_up(lease.request_id)

    def next_expiry(self) -> float | None:
        """When `expire` has something to do again; None while nothing runs out."""
        ends = [lease.expires_at for lease in self._leases.values() if lease.expires_at is not None]
        return min(ends, default=None)
