"""The latest routing decisions, as many as fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec

from stack.control.decision import DecisionRecord, status_class
from stack.control.deliveries import Deliveries
from stack.control.link import RouterReport

RING_BYTES = 32 << 20  # ten thousand requests and more in a small fleet, two thousand with sixteen candidates each
ANY_FALLBACK = "any"

Listener = Callable[[Sequence["Entry"]], None]
Reader = Callable[[Sequence[DecisionRecord]], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision as JSON, with what it is found by. `sequence` counts from 1 in the life of this control."""

    sequence: int
    json: bytes
    request_id: str
    at: float
    models: tuple[str, ...]
    path: str
    strategies: tuple[str, ...]
    engines: tuple[str, ...]
    fallbacks: tuple[str, ...]
    status: str
    observed: bool

    @classmethod
    def of(cls, sequence: int, record: DecisionRecord) -> Entry:
        chosen = [one for one in (record.decode, record.prefill) if one is not None]
        engines = [record.engine, record.prefill_engine, *(one.engine for one in chosen)]
        return cls(
            sequence=sequence,
            json=msgspec.json.encode(record),
            request_id=record.request_id,
            at=record.at,
            models=(record.model, record.requested),
            path=record.path,
            strategies=tuple(one.strategy for one in chosen),
            engines=tuple(name for name in engines if name is not None),
            fallbacks=record.fallbacks,
            status=status_class(record.status),
            observed=record.observed,
        )


@dataclass(frozen=True, slots=True)
class Filter:
    """What decisions to show; None is any. `strategy` and `engine` match either pool; `since` is Unix seconds.

    `fallback` is a reason, or ANY_FALLBACK for every request that was not served as configured; `status` a class.
    `observed`: what another gateway carried out, or what was routed here.
    """

    model: str | None = None
    path: str | None = None
    strategy: str | None = None
    engine: str | None = None
    fallback: str | None = None
    status: str | None = None
    since: float | None = None
    observed: bool | None = None

    def matches(self, entry: Entry) -> bool:
        return (
            (self.model is None or self.model in entry.models)
            and self.path in (None, entry.path)
            and self.status in (None, entry.status)
            and self.observed in (None, entry.observed)
            and (self.strategy is None or self.strategy in entry.strategies)
            and (self.engine is None or self.engine in entry.engines)
            and (
                self.fallback is None
                or self.fallback in entry.fallbacks
                or (self.fallback == ANY_FALLBACK and entry.fallbacks != ())
            )
            and (self.since is None or entry.at >= self.since)
        )


class DecisionRing:
    """A memory of decisions, bounded in bytes. `dropped` counts those that the routers could not deliver.

    `listeners` are given what came, once, in the order in which it came, `readers` the records themselves before they are
    packed; both must be quick.
    """

    def __init__(self, capacity_bytes: int = RING_BYTES) -> None:
        self._capacity = capacity_bytes
        self._entries: dict[int, Entry] = {}  # by sequence, oldest first
        self._places: dict[str, int] = {}
        self._bytes = 0
        self._changed = asyncio.Event()
        self._deliveries = Deliveries()
        self.last = 0
        self.dropped = 0
        self.listeners: list[Listener] = []
        self.readers: list[Reader] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def first(self) -> int:
        """The sequence of the oldest decision there is; one past `last` when there is none."""
        return next(iter(self._entries), self.last + 1)

    @property
    def oldest_at(self) -> float | None:
        """When the oldest one there is was decided (Unix seconds)."""
        return self._entries[self.first].at if self._entries else None

    def take(self, report: RouterReport) -> None:
        """Keep a report's decisions that no report brought before; the oldest give way."""
        delivery = self._deliveries.new(report)
        self.dropped += delivery.lost
        if not delivery.decisions:
            return
        for reader in self.readers:
            reader(delivery.decisions)
        came = [self._add(record) for record in delivery.decisions]
        while self._bytes > self._capacity:
            self._forget(self._entries.pop(self.first))
        for listener in self.listeners:
            listener(came)
        self.wake()

    def latest(self, limit: int) -> Iterator[Entry]:
        """At most `limit` entries, newest first."""
        return islice(reversed(self._entries.values()), limit)

    def newest(self, limit: int, wanted: Filter) -> tuple[msgspec.Raw, ...]:
        """At most `limit` matching records, newest first."""
        return tuple(msgspec.Raw(entry.json) for entry in islice(self._matching(wanted), limit))

    def find(self, request_id: str) -> Entry | None:
        """The newest decision about `request_id`, while it is there; one that was carried out before one that was not."""
        return self._entries.get(self._places.get(request_id, 0))

    def after(self, sequence: int, limit: int) -> list[Entry]:
        """Up to `limit` of the entries that follow `sequence`, oldest first."""
        begin = max(sequence + 1, self.first)
        return [self._entries[number] for number in range(begin, min(begin + limit, self.last + 1))]

    async def grown(self, sequence: int, wait_seconds: float) -> bool:
        """Whether there is, or comes within `wait_seconds`, an entry after `sequence`."""
        if self.last > sequence:
            return True
        try:
            async with asyncio.timeout(wait_seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return self.last > sequence

    def wake(self) -> None:
        """Let everyone look again who waits in `grown`."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _add(self, record: DecisionRecord) -> Entry:
        self.last += 1
        entry = Entry.of(self.last, record)
        self._entries[entry.sequence] = entry
        if not entry.observed or entry.request_id not in self._places:  # a mirrored request bears the id of the one carried out
            self._places[entry.request_id] = entry.sequence
        self._bytes += len(entry.json)
        return entry

    def _forget(self, entry: Entry) -> None:
        self._bytes -= len(entry.json)
        if self._places.get(entry.request_id) == entry.sequence:
            del self._places[entry.request_id]

    def _matching(self, wanted: Filter) -> Iterator[Entry]:
        return (entry for entry in reversed(self._entries.values()) if wanted.matches(entry))
