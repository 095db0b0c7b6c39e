"""The store's own counters (Redis or Valkey): has it dropped anything by itself, and how much does it hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

# What its owner deletes key by key is not here: LMCache reports its own deletions.
_COMMANDS = ("flushall", "flushdb")


class StoreSilentError(ConnectionError):
    """The store does not answer, or not with its counters."""


@dataclass(frozen=True, slots=True)
class StoreCounters:
    """`losses` differs from an earlier one if the store evicted, expired or flushed anything in between, or began anew."""

    losses: tuple[str, int, int, int]
    keys: int


class CacheStore(Protocol):
    """A store that can be asked. The deadline is the caller's."""

    async def counters(self) -> StoreCounters:
        """Raises StoreSilentError."""
        ...

    async def close(self) -> None: ...


def store_at(url: str) -> CacheStore:
    """The store at `url`: `redis://` for Redis and Valkey, `http://` for one that is emulated. Raises ValueError."""
    return EmulatedStore(url) if url.startswith("http://") else RedisStore(url)


class RedisStore:
    """Redis or Valkey."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url, retry=Retry(NoBackoff(), 0), max_connections=1)

    async def counters(self) -> StoreCounters:
        try:
            return read(await self._redis.info("everything"))
        except (RedisError, OSError, KeyError, TypeError, ValueError) as error:
            raise StoreSilentError(f"no counters from the store: {type(error).__name__}") from error

    async def close(self) -> None:
        await self._redis.aclose()


class EmulatedStore:
    """Answers GET with what INFO would say, as JSON."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx.AsyncClient(trust_env=False)

    async def counters(self) -> StoreCounters:
        try:
            return read((await self._client.get(self._url)).raise_for_status().json())
        except (httpx.HTTPError, KeyError, TypeError, ValueError) as error:
            raise StoreSilentError(f"no counters from the store: {type(error).__name__}") from error

    async def close(self) -> None:
        await self._client.aclose()


def read(info: Mapping[str, Any]) -> StoreCounters:
    """The counters in the answer to INFO, parsed."""
    calls = sum(int(info.get(f"cmdstat_{command}", {"calls": 0})["calls"]) for command in _COMMANDS)
    keys = sum(int(held["keys"]) for name, held in info.items() if name.startswith("db") and isinstance(held, Mapping))
    return StoreCounters((str(info["run_id"]), int(info["evicted_keys"]), int(info["expired_keys"]), calls), keys)
