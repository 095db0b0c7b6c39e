"""What `/metrics` tells: a router's own samples, or those of all workers of one router."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters.exposed import collected, encode
from stack.adapters.local_answer import answering, ask

# A worker that does not answer within this is silent: it is not asked for anything that takes long.
WORKER_S = 1.0
# The leader waits for its workers, and then merges.
LEADER_S = 3.0


@dataclass(frozen=True, slots=True)
class Seat:
    """One worker's place in a router of several processes; `folder` has their sockets."""

    number: int
    folder: Path

    @property
    def socket(self) -> Path:
        """Where this worker tells its own samples."""
        return self.folder / f"worker-{self.number}.sock"

    @property
    def leader(self) -> Path:
        """Where the process that leads the workers tells the samples of all."""
        return self.folder / "leader.sock"


class Exposition(Protocol):
    """The text for Prometheus; None when it cannot be told just now."""

    async def text(self) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class OwnExposition:
    """Of a router that is one process."""

    registry: CollectorRegistry

    async def text(self) -> bytes | None:
        # In a thread: with hundreds of engines the text takes long enough to be felt between two tokens.
        return await asyncio.to_thread(generate_latest, self.registry)


@dataclass(frozen=True, slots=True)
class WorkerExposition:
    """Of one worker among several: the leader gathers them, so that every scrape has one teller, whichever worker it meets."""

    registry: CollectorRegistry
    seat: Seat

    async def open(self) -> asyncio.Server:
        """Tell the leader about this worker whenever it asks. Raises OSError."""
        return await answering(self.seat.socket, self._own)

    async def text(self) -> bytes | None:
        return await ask(self.seat.leader, LEADER_S)

    async def _own(self) -> bytes:
        return await asyncio.to_thread(lambda: encode(collected(self.registry)))
