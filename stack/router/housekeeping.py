"""What follows from a change of the fleet, in every part of the router that remembers something about engines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from stack.cache.sent import SentPrefixes
from stack.fleet.engine import Health, Standing
from stack.fleet.snapshot import Fleet, lost
from stack.model.target import Target
from stack.router.meters import Meters
from stack.router.model_list import ModelList
from stack.router.upstream import Upstream


class Watcher(Protocol):
    """Follows something of each engine that exists."""

    def watch(self, targets: Iterable[Target]) -> None:
        """These engines, and no other, from now on."""
        ...


class Housekeeping:
    """Listens to the fleet and to the engines' KV events: forgets what is gone, begins to follow what is new."""

    def __init__(self, sent: SentPrefixes, meters: Meters, upstream: Upstream, models: ModelList) -> None:
        self._sent = sent
        self._meters = meters
        self._upstream = upstream
        self._models = models
        self.watchers: list[Watcher] = []

    def fleet_changed(self, before: Fleet, after: Fleet) -> None:
        """A listener of the fleet keeper."""
        for name in lost(before, after):
            self._sent.forget(name)
            self._upstream.forget(before.members[name].engine.target.url)
        for name in before.members.keys() - after.members.keys():
            self._meters.forget(name)
        for engine in after.engines:
            if engine.standing is Standing.EJECTED and not _is_ejected(before, engine.name):
                self._meters.ejected(engine.target.model, engine.pool.value, engine.name)
        targets = [engine.target for engine in after.engines]
        if targets != [engine.target for engine in before.engines]:
            for watcher in self.watchers:
                watcher.watch(targets)
        if _ready(before) != _ready(after):
            self._models.refresh_soon()

    def evicted(self, target: Target, blocks: int) -> None:
        """Blocks left an engine's own cache."""
        self._meters.evicted(target.model, target.pool.value, target.replica, blocks)

    def gap(self, target: Target, *, recovered: bool) -> None:
        """KV events of an engine were missed."""
        self._meters.event_gap(target.model, target.replica, "recovered" if recovered else "lost")

    def cache_lost(self, target: Target) -> None:
        """An engine restarted or dropped its cache: what it was sent is gone."""
        self._sent.forget(target.replica)


def _ready(fleet: Fleet) -> list[str]:
    return [engine.name for engine in fleet.engines if engine.health is Health.READY]


def _is_ejected(fleet: Fleet, name: str) -> bool:
    member = fleet.members.get(name)
    return member is not None and member.engine.standing is Standing.EJECTED
