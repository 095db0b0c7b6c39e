"""Which engine was sent which beginning of a prompt: one index for all of them, that needs no word from any."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import repeat, starmap

from stack.cache.believed import Believed
from stack.cache.crowd import Crowd
from stack.cache.others import Others
from stack.cache.prefix import PIECE_BYTES, PREFIX_BYTES
from stack.model.recalled import NOTHING_RECALLED, Recalled

BYTES_MAX = 64 << 20  # some nine engines' worth of short pieces; of more engines each is remembered less
ENTRY_BYTES = 110  # of one piece: its key is an object, and a table holds it that may be half empty; measured

_UNKNOWN = repeat(0)


class SentPrefixes:
    """For each piece of a prompt a mask of the engines that were sent it; what was in use least lately is dropped first.

    All of it takes at most `bytes_max`: pieces in use are young, and when these are too many they become the old ones, and those
    that were old go, a few at a time, since hundreds of thousands at once would hold up other requests. A chained hash has one
    past: whoever was sent a piece was sent all before it, so that depths are found by halving.
    """

    def __init__(self, believed: Believed | None = None, crowd: Crowd | None = None, bytes_max: int = BYTES_MAX) -> None:
        if bytes_max < 4 * ENTRY_BYTES:
            raise ValueError(f"bytes_max {bytes_max} is not enough for one piece in each table")
        self._most = bytes_max // ENTRY_BYTES // 4  # three tables of pieces, and one of the crowd's
        self._believed = Believed() if believed is None else believed
        self._crowd = Crowd() if crowd is None else crowd
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}
        self._going: dict[int, int] = {}
        self.others = Others()

    @property
    def bytes(self) -> int:
        """What all of it takes, about."""
        return ENTRY_BYTES * (len(self._young) + len(self._old) + len(self._going) + len(self._crowd))

    def recall(self, pieces: Sequence[int], now: float) -> Recalled:
        """What is remembered of a prompt that begins with `pieces`."""
        believed = self._believed
        if now >= believed.due and believed.grow_old(now):
            self._turn_over(now)
        masks = [*map(self._young.get, pieces, _UNKNOWN)]
        depth = _known(masks)
        if depth < len(pieces):
            masks[depth:] = map(self._old.get, pieces[depth:], _UNKNOWN)
            depth = _known(masks)
        others = self.others.seen
        left = masks[0] & believed.live if depth else 0
        if not left and not others:
            return NOTHING_RECALLED
        runs, shared = [], 0
        while left:
            here = masks[depth - 1] & left
            if here:
                engines, theirs = believed.named(here)
                if engines:
                    runs.append((depth, engines))
                if here & believed.shared:
                    shared = depth
                left &= ~theirs
            if left:
                depth = _last(masks, left, depth - 1)
        return Recalled(tuple(runs), shared, min(self._crowd.common(pieces), shared) if shared else 0, others)

    def learn(self, engine: str, pieces: Sequence[int], now: float) -> None:
        """`engine` is sent a prompt that begins with `pieces`."""
        if not pieces:
            return
        believed, young = self._believed, self._young
        self._crowd.note(pieces)
        sent = believed.of(engine, now)
        bit = sent.now
        if young.get(pieces[-1], 0) & bit:
            return
        masks = [*map(young.get, pieces, _UNKNOWN)]
        fresh = _known(masks)
        start = _last(masks, bit, fresh) if fresh and masks[0] & bit else 0
        sent.room -= PREFIX_BYTES[len(pieces)] - PREFIX_BYTES[start]
        masks[fresh:] = map(self._old.get, pieces[fresh:], _UNKNOWN)
        known = _known(masks)
        if 0 < known < len(pieces) and not masks[known - 1] & believed.shared and self._crowd.parted(pieces[known - 1]):
            start, bit = 0, bit | believed.shared
        self._add(pieces[start:known], masks[start:known], bit)
        young.update(dict.fromkeys(pieces[known:], sent.now))
        if sent.room < 0:
            believed.turn(sent, now)
        self._make_room(len(pieces) - fresh, now)

    def forget(self, engine: str) -> None:
        """The engine left or lost its cache. What prompts share is theirs, and stays known."""
        self._believed.forget(engine)

    def _add(self, pieces: Sequence[int], masks: Sequence[int], bits: int) -> None:
        """`bits` join those that stand at `pieces` already. Where these are the same, so is what comes of them."""
        before = after = 0
        for piece, mask in zip(pieces, masks, strict=True):
            if mask != before:
                before, after = mask, mask & self._believed.live | bits
            self._young[piece] = after

    def _make_room(self, more: int, now: float) -> None:
        if self._going:
            deque(starmap(self._going.popitem, repeat((), min(2 * more, len(self._going)))), maxlen=0)
        if len(self._young) >= min(self._most, len(self._believed) * self._believed.engine_bytes // PIECE_BYTES):
            self._turn_over(now)

    def _turn_over(self, now: float) -> None:
        self._going, self._old, self._young = self._old, self._young, {}
        self._crowd.forget()
        self._believed.turned_over(now)


def _known(masks: list[int]) -> int:
    """How many leading pieces are known."""
    return len(masks) if not masks or masks[-1] else masks.index(0)


def _last(masks: Sequence[int], bits: int, high: int) -> int:
    """The most leading pieces, up to `high`, at which one of `bits` stands, as it does at the first one."""
    low = 1
    while low < high:
        middle = (low + high + 1) // 2
        if masks[middle - 1] & bits:
            low = middle
        else:
            high = middle - 1
    return low
