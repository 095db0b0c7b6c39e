"""Which chunks lie in which cache server's L1 and in the store, from what the servers report and what speaks against it."""

from __future__ import annotations

from collections.abc import Hashable

from stack.cache.chunk_ledger import CHUNKS_MAX, ChunkLedger
from stack.cache.relay import STORE, CacheUpdate, RelayedChunk, RelayedLedger
from stack.model.chunk import CacheBatch, CacheDoubt
from stack.model.tier import Tier

LIVE_SECONDS = 15.0  # servers are asked every second and announce themselves every five
# Reports come up to a second (the server's flush) and its queue late: one that is under way may be older than what it contradicts.
SETTLE_SECONDS = 3.0
CHUNKS_A_PAGE = 4_000  # a router takes them in 8 ms, between two requests
NEVER = float("-inf")


class _Tier:
    """A ledger with who owns it and until when doubts about it last."""

    __slots__ = (
        "algorithm",
        "chunk_tokens",
        "doubtful_until",
        "dropped",
        "heard_at",
        "incarnation",
        "ledger",
        "losses",
        "sequence",
    )

    def __init__(self, limit: int) -> None:
        self.ledger = ChunkLedger(limit)
        self.heard_at = self.doubtful_until = NEVER
        self.incarnation = self.sequence = -1
        self.chunk_tokens: int | None = None
        self.algorithm: str | None = None
        self.dropped: int | None = None
        self.losses: Hashable = None


class CacheDirectory:
    """Claims are relayed with everything that limits them. Times are the caller's clock, in seconds."""

    def __init__(self, epoch: int, *, has_store: bool, limit: int = CHUNKS_MAX) -> None:
        self._epoch = epoch
        self._version = 0
        self._limit = limit
        self._servers: dict[str, _Tier] = {}
        self._store = _Tier(limit)
        self._has_store = has_store
        self.doubts: dict[tuple[Tier, CacheDoubt], int] = {}

    @property
    def epoch(self) -> int:
        """Tells this directory from that of a control before it."""
        return self._epoch

    @property
    def version(self) -> int:
        """Raised with every change."""
        return self._version

    def joined(self, server: str, now: float) -> None:
        """The server is there and about to report."""
        self._of(server).heard_at = now

    def vanished(self, server: str) -> None:
        """Nobody answers where it was: nothing in its L1 is known until it is heard of again."""
        if (found := self._servers.get(server)) is not None and found.heard_at != NEVER:
            found.heard_at = NEVER
            self._version += 1

    def left(self, server: str) -> None:
        """It ended, and its memory with it; what it brought to the store stays there."""
        if self._servers.pop(server, None) is not None:
            self._version += 1

    def reported(self, batch: CacheBatch, now: float) -> bool:
        """One batch, once. False when it is known already or from a process that is gone."""
        server = self._of(batch.server)
        server.heard_at = now
        if (batch.incarnation, batch.sequence) <= (server.incarnation, server.sequence):
            return False
        self._version += 1
        if batch.incarnation != server.incarnation:
            if server.incarnation >= 0:
                server.ledger.cleared(self._version)
                self._store.ledger.complete = False  # what the process before stored last, it may not have reported
            server.dropped = None
        elif batch.sequence != server.sequence + 1:
            self._doubt(server, Tier.L1, CacheDoubt.REPORTS_LOST, now, stores_lost=True)
            self._doubt(self._store, Tier.L2, CacheDoubt.REPORTS_LOST, now, stores_lost=True)
        server.incarnation, server.sequence = batch.incarnation, batch.sequence
        self._apply(server if batch.tier is Tier.L1 else self._store, batch, now)
        return True

    def described(self, server: str, *, chunk_tokens: int, algorithm: str, objects: int | None, dropped: int, now: float) -> None:
        """What the server says of itself: how it names chunks, how many objects its L1 has, how many events it dropped so far."""
        found = self._of(server)
        found.heard_at = now
        if (found.chunk_tokens, found.algorithm) != (chunk_tokens, algorithm):
            found.chunk_tokens, found.algorithm = chunk_tokens, algorithm
            self._version += 1
        if found.dropped is not None and dropped != found.dropped:
            self._version += 1
            self._doubt(found, Tier.L1, CacheDoubt.EVENTS_DROPPED, now, stores_lost=True)
            self._doubt(self._store, Tier.L2, CacheDoubt.EVENTS_DROPPED, now, stores_lost=True)
        found.dropped = dropped
        self._count(found, objects, now)

    def store_described(self, *, losses: Hashable, keys: int, now: float) -> None:
        """The store's own counters: `losses` differs from before as soon as it dropped anything, or began anew."""
        store = self._store
        store.heard_at = now
        if store.losses is not None and losses != store.losses:
            self._version += 1
            self._doubt(store, Tier.L2, CacheDoubt.STORE_EVICTED, now, stores_lost=False)
        store.losses = losses
        self._count(store, keys, now)

    def update(self, epoch: int, since: int, now: float, limit: int = CHUNKS_A_PAGE) -> CacheUpdate:
        """All changes after `since`, oldest first, at most about `limit` chunks."""
        since = since if epoch == self._epoch else 0
        tiers = {STORE: self._store, **self._servers}
        moments = sorted(moment for tier in tiers.values() for moment in tier.ledger.moments(since))
        more = len(moments) > limit
        upto = moments[limit - 1] if more else self._version
        ledgers = tuple(self._relayed(name, tier, _chunks(tier.ledger, since, upto), now) for name, tier in tiers.items())
        return CacheUpdate(epoch=self._epoch, version=upto, ledgers=ledgers, more=more)

    def _relayed(self, name: str, tier: _Tier, chunks: tuple[RelayedChunk, ...], now: float) -> RelayedLedger:
        ledger = tier.ledger
        return RelayedLedger(
            server=name,
            since=ledger.since,
            floor=ledger.floor,
            complete=ledger.complete,
            doubt=ledger.doubt if ledger.complete else ledger.doubt or CacheDoubt.PARTIAL,
            silent=self._silence(name, tier, now),
            held=ledger.held,
            age_seconds=None if tier.heard_at == NEVER else max(now - tier.heard_at, 0.0),
            chunk_tokens=tier.chunk_tokens,
            algorithm=tier.algorithm,
            chunks=chunks,
        )

    def _silence(self, name: str, tier: _Tier, now: float) -> CacheDoubt | None:
        if name == STORE and not self._has_store:
            return CacheDoubt.NO_STORE
        if now - tier.heard_at <= LIVE_SECONDS:
            return None
        return CacheDoubt.STORE_SILENT if name == STORE else CacheDoubt.UNHEARD

    def _of(self, server: str) -> _Tier:
        if server not in self._servers:
            self._servers[server] = _Tier(self._limit)
            self._version += 1
        return self._servers[server]

    def _apply(self, tier: _Tier, batch: CacheBatch, now: float) -> None:
        if batch.held is None:
            return
        (tier.ledger.stored if batch.held else tier.ledger.removed)(batch.parts, self._version)
        if now < tier.doubtful_until and tier.ledger.doubt is not None:
            tier.ledger.doubted(self._version, tier.ledger.doubt, stores_lost=False)

    def _doubt(self, tier: _Tier, which: Tier, reason: CacheDoubt, now: float, *, stores_lost: bool) -> None:
        tier.ledger.doubted(self._version, reason, stores_lost=stores_lost)
        tier.doubtful_until = now + SETTLE_SECONDS
        self.doubts[which, reason] = self.doubts.get((which, reason), 0) + 1

    def _count(self, tier: _Tier, objects: int | None, now: float) -> None:
        if objects is not None and now >= tier.doubtful_until and tier.ledger.counted(objects):
            self._version += 1


def _chunks(ledger: ChunkLedger, since: int, upto: int) -> tuple[RelayedChunk, ...]:
    return tuple(RelayedChunk(*entry.chunk, entry.changed, entry.known) for entry in ledger.changes(since, upto))[::-1]
