"""Tokens by source that wait to be claimed, with their age."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from stack.model.tier import Source

Amounts = Mapping[Source, float]


class Ledger:
    """Entries of tokens by source. Within an entry the sources are claimed in the order they were given."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, dict[Source, float]]] = deque()

    def __len__(self) -> int:
        """How many entries wait."""
        return len(self._entries)

    def add(self, now: float, amounts: Amounts) -> None:
        """Put down what is positive of `amounts`, at `now` (seconds, never falling)."""
        positive = {source: amount for source, amount in amounts.items() if amount > 0}
        if positive:
            self._entries.append((now, positive))

    def expire(self, before: float) -> None:
        """Forget entries older than `before`."""
        while self._entries and self._entries[0][0] < before:
            self._entries.popleft()

    def take_oldest(self, amount: float) -> dict[Source, float]:
        """Claim up to `amount`, first what has waited longest."""
        return self._take(amount, newest=False)

    def take_newest(self, amount: float) -> dict[Source, float]:
        """Claim up to `amount`, first what was put down last."""
        return self._take(amount, newest=True)

    def _take(self, amount: float, *, newest: bool) -> dict[Source, float]:
        taken: dict[Source, float] = {}
        for _, waiting in reversed(self._entries) if newest else self._entries:
            for source, available in waiting.items():
                part = min(amount, available)
                waiting[source] = available - part
                taken[source] = taken.get(source, 0.0) + part
                amount -= part
        self._entries = deque((at, waiting) for at, waiting in self._entries if any(waiting.values()))
        return {source: part for source, part in taken.items() if part > 0}
