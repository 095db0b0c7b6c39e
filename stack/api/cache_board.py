"""What cache servers reported, for the routers that wait to hear of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from stack.cache.relay import CacheUpdate
from stack.control.cache_directory import CacheDirectory
from stack.engines.lmcache_events import Registration
from stack.engines.lmcache_status import ServerStatus
from stack.model.chunk import CacheBatch

SERVERS_MAX = 1_024  # ids come over the network
FORGET_SECONDS = 600.0  # a node may reboot; what its server held costs memory until then


class TooManyServersError(ValueError):
    """One more cache server than control keeps track of."""


class CacheBoard:
    """The directory, the servers that report to it, and how those who wait hear of a change. `clock` is monotonic seconds."""

    def __init__(self, directory: CacheDirectory, clock: Callable[[], float]) -> None:
        self._directory = directory
        self._clock = clock
        self._addresses: dict[str, str] = {}
        self._gone_since: dict[str, float] = {}
        self._statuses: dict[str, ServerStatus] = {}
        self._changed = asyncio.Event()

    @property
    def directory(self) -> CacheDirectory:
        return self._directory

    @property
    def addresses(self) -> Mapping[str, str]:
        """Where each registered server answers, by its id."""
        return self._addresses

    @property
    def statuses(self) -> Mapping[str, ServerStatus]:
        """What each server that answers said of itself last, by its id."""
        return self._statuses

    def register(self, server: Registration) -> bool:
        """It is about to report. True when it was known. Raises TooManyServersError."""
        known = server.instance_id in self._addresses
        if not known and len(self._addresses) >= SERVERS_MAX:
            raise TooManyServersError(f"more than {SERVERS_MAX} cache servers")
        host = f"[{server.ip}]" if ":" in server.ip else server.ip
        self._addresses[server.instance_id] = f"http://{host}:{server.http_port}"
        self._directory.joined(server.instance_id, self._clock())
        self._wake()
        return known

    def vanish(self, server: str) -> None:
        """Nobody listens where it did. One that stays away so long is taken for one that left."""
        self._directory.vanished(server)
        self._statuses.pop(server, None)
        since = self._gone_since.setdefault(server, self._clock())
        if self._clock() - since > FORGET_SECONDS:
            self.leave(server)
        self._wake()

    def beat(self, server: str) -> bool:
        """It is still there. False when it never registered here."""
        if server not in self._addresses:
            return False
        self._directory.joined(server, self._clock())
        return True

    def leave(self, server: str) -> None:
        """It ended."""
        self._addresses.pop(server, None)
        self._gone_since.pop(server, None)
        self._statuses.pop(server, None)
        self._directory.left(server)
        self._wake()

    def report(self, batches: Sequence[CacheBatch]) -> int:
        """How many of the batches were news; those of a server that never registered are none."""
        now = self._clock()
        applied = sum(batch.server in self._addresses and self._directory.reported(batch, now) for batch in batches)
        self._wake()
        return applied

    def describe(self, server: str, status: ServerStatus) -> None:
        """What a server says of itself."""
        if server in self._addresses:
            self._gone_since.pop(server, None)
            self._statuses[server] = status
            self._directory.described(
                server,
                chunk_tokens=status.chunk_tokens,
                algorithm=status.algorithm,
                objects=status.objects,
                dropped=status.dropped,
                now=self._clock(),
            )
            self._wake()

    def describe_store(self, losses: tuple[str, int, int, int], keys: int) -> None:
        """The store's own counters."""
        self._directory.store_described(losses=losses, keys=keys, now=self._clock())
        self._wake()

    async def update(self, epoch: int, since: int, wait_seconds: float) -> CacheUpdate:
        """What changed after `since`, as soon as there is something, and at the latest after `wait_seconds`."""
        try:
            async with asyncio.timeout(wait_seconds):
                while epoch == self._directory.epoch and since == self._directory.version:
                    await self._changed.wait()
        except TimeoutError:
            pass
        return self._directory.update(epoch, since, self._clock())

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
