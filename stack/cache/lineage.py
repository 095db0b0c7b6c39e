"""What the blocks stored of late follow: for events that name a block only, or a chunk of blocks by its last one."""

from __future__ import annotations

from stack.model.kv_event import BlockName

REMEMBERED_BLOCKS = 4096  # an engine offloads a block soon after it stored it, and may have dropped its own copy by then

_Entry = tuple[int, BlockName | None, int | None]  # our name, the block before it, blocks before it


class Lineage:
    """The last blocks an engine described, whether or not it still holds them: up to `limit`, and no less than half of it."""

    __slots__ = ("_before", "_now", "limit")

    def __init__(self, limit: int = REMEMBERED_BLOCKS) -> None:
        self.limit = limit
        self._now: dict[BlockName, _Entry] = {}
        self._before: dict[BlockName, _Entry] = {}

    def note(self, name: BlockName, block: int, parent: BlockName | None, depth: int | None) -> None:
        """`name` follows `parent` (None: the prompt's beginning), with `depth` blocks before it (None: not known)."""
        if len(self._now) >= self.limit // 2:
            self._before, self._now = self._now, {}
        self._now[name] = (block, parent, depth)

    def block(self, name: BlockName) -> int | None:
        """Our name of a block."""
        entry = self._now.get(name) or self._before.get(name)
        return None if entry is None else entry[0]

    def depth(self, name: BlockName) -> int | None:
        """How many blocks come before it in its prompt; None when that is not known."""
        entry = self._find(name)
        return None if entry is None else entry[2]

    def line(self, name: BlockName, span: int) -> list[tuple[BlockName, int]]:
        """`name` and up to `span` - 1 blocks before it, backwards, each with our name."""
        members: list[tuple[BlockName, int]] = []
        at: BlockName | None = name
        while at is not None and len(members) < span and (entry := self._find(at)) is not None:
            members.append((at, entry[0]))
            at = entry[1]
        return members

    def _find(self, name: BlockName) -> _Entry | None:
        return self._now.get(name) or self._before.get(name)
