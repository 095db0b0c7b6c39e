"""One followed stream of events: its blocks, when it was last heard of, and since when alone it is known."""

from __future__ import annotations

from enum import StrEnum

from stack.cache.engine_blocks import EngineBlocks
from stack.cache.held import Held
from stack.model.kv_event import Removed, Stored
from stack.model.tier import Tier


class Knowledge(StrEnum):
    """What an engine's placement is worth; a closed set, for it becomes a metric label."""

    WHOLE = "whole"  # everything it holds is known
    PARTIAL = "partial"  # what is known is true, but there may be more
    UNKNOWN = "unknown"  # never heard of, or its publisher does not answer


class Cause(StrEnum):
    """Why a placement is partial; a closed set."""

    BEGUN_LATE = "begun_late"  # it had stored blocks before anybody listened, and no replay reaches back that far
    EVENTS_LOST = "events_lost"
    INDEX_FULL = "index_full"  # more blocks than the index's limits allow


class Followed:
    """The rules of what is believed.

    Nothing is ever claimed that an engine did not say, or that follows from what it said: a partial placement is a lower
    bound. It is whole again ("relearnt")
    - when the engine clears its cache or starts anew: then all of it is known;
    - after a late begin or lost events, when it evicts a block that it stored since: engines evict what was not used for
      longest, so whatever is older and was not used since went before. Old blocks in constant use (a system prompt) may
      stay unknown; they are told again when they are stored again;
    - after a full index, when as many blocks were stored without a refusal as it was known to hold at the last one.
    """

    __slots__ = ("_owed", "blocks", "cause", "partial_since", "rank", "seen_at", "silent")

    def __init__(self, blocks: EngineBlocks, rank: int = 0) -> None:
        self.blocks = blocks
        self.rank = rank
        self.seen_at: float | None = None
        self.silent = False
        self.partial_since: float | None = None
        self.cause: Cause | None = None
        self._owed = 0

    @property
    def knowledge(self) -> Knowledge:
        if self.seen_at is None or self.silent:
            return Knowledge.UNKNOWN
        return Knowledge.WHOLE if self.partial_since is None else Knowledge.PARTIAL

    def begun_late(self, now: float) -> None:
        """What it stored before `now` is not known."""
        self._partial(Cause.BEGUN_LATE, now)

    def lost(self, now: float, bit: int) -> Held | None:
        """Events are missing for good; `bit` is for what comes. Gives what is no longer worth keeping."""
        self._partial(Cause.EVENTS_LOST, now)
        return self.blocks.doubt(bit)

    def stored(self, event: Stored, room: int, now: float) -> None:
        """Blocks came in; those that the index has no `room` for make it partial."""
        unplaced = self.blocks.stored(event, room)
        if len(event.blocks) > room:
            if self.cause in (None, Cause.INDEX_FULL):
                self._partial(Cause.INDEX_FULL, now)
            self._owed = self.blocks.count(Tier.ENGINE)
        elif self.cause is Cause.INDEX_FULL:
            self._owed -= len(event.blocks) - unplaced
            if self._owed <= 0:
                self._whole()

    def removed(self, event: Removed) -> Held | None:
        """Blocks went. Gives what is known to have gone with them."""
        gone = self.blocks.removed(event)
        if not gone or event.tier is not Tier.ENGINE or self.cause not in (Cause.BEGUN_LATE, Cause.EVENTS_LOST):
            return None
        self._whole()
        return self.blocks.settle()

    def _partial(self, cause: Cause, now: float) -> None:
        self.cause, self.partial_since = cause, now

    def _whole(self) -> None:
        self.cause = self.partial_since = None
