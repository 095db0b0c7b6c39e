"""The order of one source's event batches: what follows on what, what was missed, and what that does to the index."""

from __future__ import annotations

from enum import StrEnum

from stack.cache.index import BlockIndex
from stack.model.kv_event import KvBatch, Source


class Taken(StrEnum):
    """What became of a batch."""

    APPLIED = "applied"
    REPEATED = "repeated"  # known from a replay already
    REFUSED = "refused"  # batches before it are missing, or another process numbers them


class EventStream:
    """Applies a source's batches to the index, in order and once each.

    Sequence numbers count from 0 in each process, so a batch is known by its number and the engine's time together: a
    restarted engine is told from a repetition by its later time.
    """

    def __init__(self, source: Source, index: BlockIndex) -> None:
        self._source = source
        self._index = index
        self._expected: int | None = None
        self._last: tuple[int, float] | None = None

    @property
    def last_sequence(self) -> int | None:
        """The last batch applied of the process that is followed; None when it has none yet."""
        return None if self._last is None else self._last[0]

    def is_last(self, sequence: int, batch: KvBatch) -> bool:
        """This is the batch applied last: whatever is replayed after it continues the stream."""
        return self._last == (sequence, batch.at)

    def begin(self, first: int | None, now: float) -> None:
        """A process is met for the first time, or a new one took its place; its next batch is `first` (None: not known).

        Beginning later than at 0 leaves out what was stored before: the source is then known in part.
        """
        self._index.follow(self._source, late_at=None if first == 0 else now)
        self._expected, self._last = first, None

    def lose(self, now: float) -> None:
        """Batches are missing for good; go on with whatever comes next."""
        self._index.lost(self._source, now)
        self._expected = self._last = None

    def take(self, sequence: int, batch: KvBatch, now: float) -> Taken:
        """The next batch, if it is that. `now` is the clock of the index, in seconds."""
        if self._expected is not None and sequence != self._expected:
            repeated = self._last is not None and sequence <= self._last[0] and batch.at <= self._last[1]
            return Taken.REPEATED if repeated else Taken.REFUSED
        self._index.apply(self._source, batch, now)
        self._expected, self._last = sequence + 1, (sequence, batch.at)
        return Taken.APPLIED
