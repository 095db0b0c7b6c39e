"""Memory that equal engines share: L1 by node, L2 by all."""

from __future__ import annotations

from stack.emulator.cache_reports import CacheReports
from stack.emulator.events import Medium
from stack.emulator.profiles import Profile
from stack.emulator.tiers import CacheTier, Tiers


class CacheServerError(ValueError):
    """An engine names a cache server that there cannot be; the message says why."""


class SharedMemory:
    """Engines that name a cache server share its L1; the others are packed, `engines_per_node` to each node."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._l2 = CacheTier(Medium.STORAGE, profile.l2_blocks)
        self._nodes: list[tuple[CacheTier, set[str]]] = []
        self._server: CacheTier | None = None

    def join(self, replica: str, reports: CacheReports | None) -> Tiers:
        """A place at the cache server that `reports`, or on the first node that has one."""
        if reports is not None:
            if self._server is None:
                self._server = CacheTier(Medium.CPU, self._profile.l1_blocks, reports)
            self._l2.reports = reports
            return Tiers(self._server, self._l2, reports)
        for l1, replicas in self._nodes:
            if len(replicas) < self._profile.engines_per_node:
                replicas.add(replica)
                return Tiers(l1, self._l2)
        self._nodes.append((CacheTier(Medium.CPU, self._profile.l1_blocks), {replica}))
        return Tiers(self._nodes[-1][0], self._l2)

    def leave(self, replica: str) -> None:
        """Free the place; the node's memory stays, as a cache server's does."""
        for _, replicas in self._nodes:
            replicas.discard(replica)
