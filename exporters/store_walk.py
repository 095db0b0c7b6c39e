"""A walk over a store's keys that its clients do not notice: few keys a command, few commands a scrape, and pauses between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from exporters.store_sample import Batch

# A store does one command after another, so a client waits at most for one of these: 50 us of half a million keys.
KEYS_A_SCAN = 20
MEASURED_KEYS = 20
PAUSE_SECONDS = 0.002
MOST_SECONDS = 0.25


class Walk:
    """Goes on in each scrape where the last one ended, over at most `most` keys or so (a SCAN may answer a few more)."""

    def __init__(self, store: Redis, most: int, clock: Callable[[], float]) -> None:
        self._store = store
        self._scans = -(-most // KEYS_A_SCAN)
        self._clock = clock
        self._cursor = 0

    async def step(self) -> Batch:
        """The next keys. Raises ResponseError where the store refuses SCAN; where it refuses MEMORY USAGE none is measured."""
        began_at, end = self._cursor, self._clock() + MOST_SECONDS
        keys: dict[bytes, None] = {}  # SCAN may tell a key twice
        for scan in range(self._scans):
            if scan:
                await asyncio.sleep(PAUSE_SECONDS)
            self._cursor, found = await self._store.scan(self._cursor, count=KEYS_A_SCAN)
            keys.update((key, None) for key in found if isinstance(key, bytes))
            if self._cursor == 0 or self._clock() >= end:
                break
        return Batch(list(keys), await self._measured(list(keys)), whole=began_at == self._cursor == 0)

    async def _measured(self, keys: Sequence[bytes]) -> Mapping[bytes, int]:
        """Bytes of some of the keys, evenly chosen; a key that is gone meanwhile has none."""
        some = list(islice(keys[:: max(1, len(keys) // MEASURED_KEYS)], MEASURED_KEYS))
        asked = self._store.pipeline(transaction=False)
        for key in some:
            asked.memory_usage(key, samples=0)  # of a string, which is what KV is, no samples are taken anyway
        answers = await asked.execute(raise_on_error=False)
        for answer in answers:
            if isinstance(answer, Exception) and not isinstance(answer, ResponseError):
                raise answer
        return {key: answer for key, answer in zip(some, answers, strict=True) if isinstance(answer, int)}
