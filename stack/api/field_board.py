"""Desired, applied and observed, field by field, as of now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

import msgspec

from stack.api.board import Board
from stack.api.ring import DecisionRing, Entry
from stack.api.routers import Routers
from stack.api.schema import Drift, RouterView
from stack.api.sight import Sight, lag
from stack.control.diff import Value, diff, leaves
from stack.control.fields import FieldState, Follower, Outlook, fields
from stack.control.members import Member
from stack.control.observed import Traffic
from stack.control.ports import Kept, Store, StoreError

LATELY_SECONDS = 60.0  # what is older is no news
REQUESTS_MOST = 500  # looked at; a busy fleet's last seconds tell as much as its last minute
GENERATIONS_KEPT = 32  # whose fields are in memory: routers are rarely further apart


class FieldBoard:
    """Remembers since when each field is not as desired. `wall` is Unix seconds."""

    def __init__(
        self, board: Board, routers: Routers, sight: Sight, ring: DecisionRing, store: Store, wall: Callable[[], float]
    ) -> None:
        self._board, self._routers, self._sight, self._ring, self._store, self._wall = board, routers, sight, ring, store, wall
        self._generations: dict[int, Mapping[str, Value] | None] = {}
        self._changed: dict[str, float] = {}
        self._since: dict[str, float] = {}
        board.listeners.append(self._change)

    async def fields(self, members: Sequence[Member], drift: Sequence[Drift]) -> tuple[FieldState, ...]:
        """Every field of every model; `members` and `drift` are this moment's."""
        followers = [await self._follower(view) for view in self._routers.views() if view.live]
        reasons = {one.field: one.reason for one in drift}
        sight = self._sight
        outlook = Outlook(self._board.desired, followers, members, self._traffic(), reasons, sight.store, sight.caches)
        found = tuple(fields(outlook))
        now = self._wall()
        self._since = {one.field: self._began(one.field, now) for one in found if one.reason is not None}
        self._changed = {field: at for field, at in self._changed.items() if field in self._since}
        return tuple(msgspec.structs.replace(one, since=self._since.get(one.field)) for one in found)

    def _began(self, field: str, now: float) -> float:
        """When a field that differs now began to: when it was seen to, or when it was changed."""
        return self._since.get(field, self._changed.get(field, now))

    def _change(self, before: Kept, after: Kept) -> None:
        """A listener of the board."""
        now = self._wall()
        self._changed |= {change.field: now for change in diff(before.desired, after.desired)}
        self._remember(before.generation, leaves(before.desired))
        self._remember(after.generation, leaves(after.desired))

    async def _follower(self, view: RouterView) -> Follower:
        known = await self._of(view.generation)
        return Follower(view.id, known, frozenset(view.ignored), lag(view, self._board.generation))

    async def _of(self, generation: int) -> Mapping[str, Value] | None:
        """The fields of a generation; None when there is no such one, or it cannot be read."""
        if generation == self._board.generation:
            return leaves(self._board.desired)
        if generation not in self._generations:
            try:
                document = await self._store.document(generation)
            except StoreError:  # whoever asks for the log is told; here it is unknown
                return None
            self._remember(generation, None if document is None else leaves(document))
        return self._generations[generation]

    def _remember(self, generation: int, known: Mapping[str, Value] | None) -> None:
        self._generations.pop(generation, None)
        self._generations[generation] = known
        while len(self._generations) > GENERATIONS_KEPT:
            self._generations.pop(next(iter(self._generations)))

    def _traffic(self) -> dict[str, Traffic]:
        since, lately = self._wall() - LATELY_SECONDS, defaultdict[str, list[Entry]](list)
        for entry in takewhile(lambda entry: entry.at >= since, self._ring.latest(REQUESTS_MOST)):
            if not entry.observed:
                lately[entry.models[0]].append(entry)
        return {model: Traffic.of(entries) for model, entries in lately.items()}
