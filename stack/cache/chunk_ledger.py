"""What one tier holds as far as its reports tell: chunks, each with the moment it was last known to be there."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from stack.model.chunk import CacheDoubt, Chunk, Part

CHUNKS_MAX = 262_144  # some 75 MiB; at 256 tokens and 320 kB each of KV for 67 million tokens


class Entry(NamedTuple):
    """A chunk as of its last change. `known` is when it was last reported whole, 0 when it is not there."""

    chunk: Chunk
    changed: int
    known: int


class _Claim:
    __slots__ = ("changed", "known", "parts")

    def __init__(self) -> None:
        self.parts = 0  # a bit for each part that is there
        self.changed = self.known = 0


class ChunkLedger:
    """Moments are the numbers of a counter that the caller raises with every report, so they can be sent on as "since".

    Claims of `since` or before are doubted for the reason `doubt`; those of `floor` or before are forgotten. `complete` is
    true once the owner's own count of objects equalled what was reported: only then is a chunk that is not here not there.
    """

    def __init__(self, limit: int = CHUNKS_MAX) -> None:
        self._limit = limit
        self._claims: OrderedDict[Chunk, _Claim] = OrderedDict()
        self._bits: dict[str, dict[tuple[int, int], int]] = {}
        self.since = self.floor = 0
        self.doubt: CacheDoubt | None = None
        self.complete = False
        self.parts = 0  # that are there beyond doubt

    def __len__(self) -> int:
        return len(self._claims)

    @property
    def held(self) -> int:
        """Chunks that are there beyond doubt, as far as their parts can be counted together."""
        return self.parts // max((len(bits) for bits in self._bits.values()), default=1)

    def stored(self, parts: Sequence[Part], moment: int) -> None:
        """These are there now."""
        for part in parts:
            claim = self._touch(part.chunk, moment)
            if claim.known <= self.since:
                claim.parts = 0
            bit = self._bit(part)
            self.parts += not claim.parts & bit
            claim.parts |= bit
            claim.known = moment
        while len(self._claims) > self._limit:
            self._drop_oldest()

    def removed(self, parts: Sequence[Part], moment: int) -> None:
        """These are gone."""
        for part in parts:
            claim, bit = self._claims.get(part.chunk), self._bit(part)
            if claim is None or not claim.parts & bit:
                continue
            self.parts -= claim.known > self.since
            claim.parts &= ~bit
            self._touch(part.chunk, moment)

    def cleared(self, moment: int) -> None:
        """Whatever was there is gone."""
        self._claims.clear()
        self.parts = 0
        self.since = self.floor = moment
        self.doubt, self.complete = None, False

    def doubted(self, moment: int, reason: CacheDoubt, *, stores_lost: bool) -> None:
        """Nothing reported up to now is certain. `stores_lost`: nor is it that nothing else was stored."""
        self.since, self.doubt, self.parts = moment, reason, 0
        self.complete = self.complete and not stores_lost

    def counted(self, objects: int) -> bool:
        """The owner says how many objects it has. True when that settles what was open: all of them are known, and no others."""
        if objects != self.parts or (self.complete and self.floor >= self.since):
            return False
        self.complete, self.doubt = True, None
        self._forget_until(self.since)
        return True

    def moments(self, since: int) -> list[int]:
        """When the chunks changed that did after `since`, last change first."""
        return [claim.changed for claim in takewhile(lambda claim: claim.changed > since, reversed(self._claims.values()))]

    def changes(self, since: int, upto: int = sys.maxsize) -> Iterator[Entry]:
        """What changed after `since` and not after `upto`, last change first."""
        for chunk, claim in reversed(self._claims.items()):
            if claim.changed <= since:
                return
            if claim.changed <= upto:
                yield Entry(chunk, claim.changed, claim.known if self._is_whole(chunk, claim) else 0)

    def _touch(self, chunk: Chunk, moment: int) -> _Claim:
        claim = self._claims.get(chunk)
        if claim is None:
            claim = self._claims[chunk] = _Claim()
        else:
            self._claims.move_to_end(chunk)
        claim.changed = moment
        return claim

    def _bit(self, part: Part) -> int:
        """A model's chunks have as many parts as were ever seen of it."""
        known = self._bits.setdefault(part.chunk.root, {})
        return known.setdefault((part.rank, part.group), 1 << len(known))

    def _is_whole(self, chunk: Chunk, claim: _Claim) -> bool:
        return claim.parts == (1 << len(self._bits[chunk.root])) - 1

    def _drop_oldest(self) -> None:
        _, claim = self._claims.popitem(last=False)
        self.floor = max(self.floor, claim.changed)
        if claim.parts and claim.known > self.since:
            self.parts -= claim.parts.bit_count()
            self.complete, self.doubt = False, CacheDoubt.PARTIAL

    def _forget_until(self, moment: int) -> None:
        """What was doubted turned out not to be there: nobody need be told one by one."""
        gone = [chunk for chunk, claim in self._claims.items() if claim.known <= moment]
        for chunk in gone:
            del self._claims[chunk]
        self.floor = max(self.floor, moment)
