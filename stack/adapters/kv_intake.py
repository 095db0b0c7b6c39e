"""What comes from one source of KV events, live or replayed: read, put in order, applied, and its listener told."""

from __future__ import annotations

import logging
from collections.abc import Callable

from stack.adapters.kv_listener import KvEventListener
from stack.cache.index import BlockIndex
from stack.cache.stream import EventStream, Taken
from stack.engines.vllm_events import KvEventFormatError, Reader
from stack.model.kv_event import Cleared, KvBatch, Removed, Source
from stack.model.target import Target
from stack.model.tier import Tier

log = logging.getLogger(__name__)


class Intake:
    """One data-parallel rank's stream. `watching`: past the first replay, so that what happens is news to the listener."""

    def __init__(self, target: Target, rank: int, index: BlockIndex, listener: KvEventListener, clock: Callable[[], float]) -> None:
        self.source = Source(target.replica, rank)
        self.stream = EventStream(self.source, index)
        self.losses = 0
        self.met = False  # a process of this engine was followed before
        self.watching = False
        self._reader = Reader()
        self._target = target
        self._index = index
        self._listener = listener
        self._clock = clock

    def parse(self, payload: bytes) -> KvBatch | None:
        """A batch that cannot be read leaves a hole: the next one is refused, and the replay does not help."""
        try:
            return self._reader.read(payload)
        except KvEventFormatError as error:
            log.warning("KV events not understood", extra={"engine": self.source.engine, "error": str(error)})
            return None

    def meet(self, first: int | None, *, overflown: bool = False) -> None:
        """A process whose next batch is `first`. `overflown`: the one followed so far, with batches gone from its buffer."""
        if overflown:
            self.lose()
            return
        if self.met:
            self._listener.cache_lost(self._target)
        self.stream.begin(first, self._clock())
        self.met = True

    def lose(self) -> None:
        """Batches are missing for good."""
        log.warning("KV events lost", extra={"engine": self.source.engine, "rank": self.source.rank})
        self.losses += 1
        self._listener.gap(self._target, recovered=False)
        self.stream.lose(self._clock())

    def recovered(self) -> None:
        """What was missed has been replayed."""
        self._listener.gap(self._target, recovered=True)

    def replayed(self, sequence: int, batch: KvBatch, *, give_up: bool) -> bool:
        """A batch of a replay. False when some are missing before it, unless that is to be given up as a loss."""
        if self.take(sequence, batch) is not Taken.REFUSED:
            return True
        if give_up:
            self.lose()
            self.take(sequence, batch)
        return give_up

    def take(self, sequence: int, batch: KvBatch) -> Taken:
        """The next batch, if it is that."""
        taken = self.stream.take(sequence, batch, self._clock())
        if taken is Taken.APPLIED and self.watching:
            evicted = sum(len(e.blocks) for e in batch.events if isinstance(e, Removed) and e.tier is Tier.ENGINE)
            if evicted:
                self._listener.evicted(self._target, evicted)
            if any(isinstance(e, Cleared) for e in batch.events):
                self._listener.cache_lost(self._target)
        return taken

    def heard(self) -> None:
        """The source answered, and nothing is missing."""
        self.watching = True
        self._index.seen(self.source, self._clock())

    def silent(self) -> None:
        """The source does not answer: what is known is not trusted until it does."""
        self._index.silent(self.source)
