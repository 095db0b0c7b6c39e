"""How long an engine is believed to hold what it was sent: two bits for each, whose meaning moves on as it is sent more."""

from __future__ import annotations

import math

from stack.cache.holders import Slots

ENGINE_BYTES = 8 << 20  # of prompts, some 2 million tokens: an engine with its tiers
AGE_SECONDS = 3600.0  # what was not asked for in an hour has made room for something else, or the engine is all but idle

_NAMED_MAX = 1 << 16  # names in sets that are kept: some 4 MiB
Named = tuple[frozenset[str], int]  # engines, and all bits that stand for them


class EngineBits:
    """One engine: `now` stands for what it is sent, `before` for what it was sent until `since`; `room` are bytes left until both
    change."""

    __slots__ = ("before", "name", "now", "room", "since")

    def __init__(self, name: str, now: int, before: int, room: int, since: float) -> None:
        self.name = name
        self.now = now
        self.before = before
        self.room = room
        self.since = since


class Believed:
    """The engines and their bits. `live` are all bits that mean something.

    After half of `engine_bytes` of prompts, or half of `age_seconds`, what an engine was sent before counts no more, and what
    it was sent since comes before what it will be sent: it must have evicted by then what it did not see again.
    """

    def __init__(self, engine_bytes: int = ENGINE_BYTES, age_seconds: float = AGE_SECONDS) -> None:
        if engine_bytes < 2 or age_seconds <= 0.0:
            raise ValueError(f"engine_bytes {engine_bytes} must be at least 2, and age_seconds {age_seconds} positive")
        self.engine_bytes = engine_bytes
        self._half_age = age_seconds / 2
        self._slots = Slots()
        self.shared = self._slots.take()
        """No engine's bit, but that of pieces that many prompts share."""
        self.live = self.shared
        self._retired = self._retiring = 0
        self._engines: dict[str, EngineBits] = {}
        self._named: dict[int, Named] = {}
        self._names = 0
        self._turned = 0.0
        self.due = -math.inf
        """When something has grown old."""

    def __len__(self) -> int:
        return len(self._engines)

    def of(self, engine: str, now: float) -> EngineBits:
        """The engine's bits."""
        return self._engines.get(engine) or self._join(engine, now)

    def named(self, mask: int) -> Named:
        """The engines that some bits stand for, and all bits of these."""
        return self._named.get(mask) or self._name(mask)

    def turn(self, sent: EngineBits, now: float) -> None:
        """What the engine was sent before is gone from it; what it was sent until now is next."""
        self._retire(sent.before)
        sent.before, sent.now = sent.now, self._slots.take()
        self.live |= sent.now
        sent.room, sent.since = self.engine_bytes // 2, now

    def forget(self, engine: str) -> None:
        """The engine left or lost its cache."""
        sent = self._engines.pop(engine, None)
        if sent is not None:
            self._retire(sent.now | sent.before)

    def turned_over(self, now: float) -> None:
        """Only what was in use since the last time is kept: bits that were retired before that stand nowhere any more."""
        self._slots.give_back(self._retired)
        self._retired, self._retiring = self._retiring, 0
        self._turned = now

    def grow_old(self, now: float) -> bool:
        """Move on whoever is due; whether it is time to turn over as well."""
        for sent in self._engines.values():
            if now - sent.since >= self._half_age:
                self.turn(sent, now)
        over = now - self._turned >= self._half_age
        if over:
            self._turned = now
        self.due = self._half_age + min([self._turned, *(sent.since for sent in self._engines.values())])
        return over

    def _join(self, engine: str, now: float) -> EngineBits:
        sent = self._engines[engine] = EngineBits(engine, self._slots.take(), self._slots.take(), self.engine_bytes // 2, now)
        self.live |= sent.now | sent.before
        return sent

    def _retire(self, bits: int) -> None:
        self.live &= ~bits
        self._retiring |= bits
        self._forget_names()

    def _forget_names(self) -> None:
        self._named.clear()
        self._names = 0

    def _name(self, mask: int) -> Named:
        found = [sent for sent in self._engines.values() if mask & (sent.now | sent.before)]
        theirs = mask & self.shared
        for sent in found:
            theirs |= sent.now | sent.before
        self._names += len(found) + 1
        if self._names > _NAMED_MAX:
            self._forget_names()
        named = self._named[mask] = frozenset([sent.name for sent in found]), theirs
        return named
