"""What all connections of one server share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from stack.router.message import Handler, Limits


class Closable(Protocol):
    """A connection as its server sees it."""

    @property
    def busy(self) -> bool:
        """A request is being read or answered."""
        ...

    def drain(self) -> None:
        """Close now when idle, else after the present answer."""
        ...

    def abort(self) -> None:
        """Cut the connection; its handler is cancelled."""
        ...


@dataclass(slots=True)
class Site:
    """`tasks` are the handlers at work; `empty` is set while there is no connection.

    `refused` is told the status of what was answered without a handler: no HTTP, too large, too slow, too many.
    """

    handler: Handler
    limits: Limits
    clock: Callable[[], float]
    refused: Callable[[int], None] = lambda status: None
    connections: set[Closable] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    empty: asyncio.Event = field(default_factory=asyncio.Event)
    draining: bool = False
    held_bytes: int = 0

    def __post_init__(self) -> None:
        self.empty.set()

    def enter(self, connection: Closable) -> bool:
        """A connection came. False when there is no room for it."""
        room = len(self.connections) < self.limits.connections and not self.draining
        self.connections.add(connection)
        self.empty.clear()
        return room

    def leave(self, connection: Closable) -> None:
        """A connection is gone."""
        self.connections.discard(connection)
        if not self.connections:
            self.empty.set()

    def crowded_by(self, size: int) -> bool:
        """All requests together hold too much, and a connection that holds `size` bytes has more than an equal share of it."""
        return self.held_bytes > self.limits.held_bytes and size > self.limits.held_bytes // self.limits.connections

    def own(self, task: asyncio.Task[None]) -> None:
        """Keep a handler's task until it is done."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
