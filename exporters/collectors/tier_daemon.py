"""HyperPod's tiered storage on this node: whether its daemon answers, and the memory it shares with the engines."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx

from exporters.collector import Context, Point, Seen, collectors
from stack.engines.quantities import State
from stack.metrics import catalog

TARGET = "node"
# A GET that answers at all takes a millisecond on the same node; LMCache gives a look-up one second.
MOST_SECONDS = 1.0


@collectors.register("tier_daemon")
class TierDaemon:
    """Asks HyperPod's tiered storage on this node whether it is there; off by default, it runs where the engines run.

    Without the daemon LMCache goes on without an L2, and says nothing.
    """

    stage = 0
    opt_in = True
    on_this_node = True

    def __init__(self, context: Context) -> None:
        self._http = context.http
        self._url = context.node.tier_daemon
        self._segment = context.node.shared_memory

    def targets(self) -> Sequence[str]:
        return () if self._url is None else (TARGET,)

    async def read(self, target: str) -> Seen:
        points = [Point(catalog.TIER_DAEMON_REACHABLE, {}, float(await self._answers()))]
        shared = [] if self._segment is None else await asyncio.to_thread(lambda segment: list(_shared(segment)), self._segment)
        return Seen([*points, *shared], {"tier_daemon_shared_memory": State.PRESENT if shared else State.ABSENT})

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        """Nothing is remembered of a target."""

    async def close(self) -> None:
        """Nothing of its own is open."""

    async def _answers(self) -> bool:
        """Whether it answers a GET, whatever it answers: no page of it is known to be there for that."""
        try:
            async with asyncio.timeout(MOST_SECONDS), self._http.stream("GET", self._url or ""):
                return True
        except (httpx.TransportError, TimeoutError):
            return False


def _shared(segment: Path) -> Iterator[Point]:
    """Nothing where it cannot be known: the folder of shared memory is not there, or not to be looked into."""
    try:
        size = os.stat(segment).st_size
    except FileNotFoundError:
        if segment.parent.is_dir():
            yield Point(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, {}, 0.0)
    except OSError:
        return
    else:
        yield Point(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, {}, 1.0)
        yield Point(catalog.TIER_DAEMON_SHARED_MEMORY_BYTES, {}, float(size))
