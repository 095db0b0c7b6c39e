"""A store's limits over its own protocol: CONFIG GET and CONFIG SET of Redis and Valkey."""

from __future__ import annotations

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, RedisError, ResponseError

from stack.control.ports import TierError
from stack.control.tiers import StoreLimits, StoreSeen

_MEMORY, _POLICY = "maxmemory", "maxmemory-policy"
_EMULATED = "the engines and their caches are emulated: there is no store to limit"
_CLOSED = "the store lets nobody configure it here (a managed one has parameter groups for that)"


def store_limits(url: str) -> RedisLimits | EmulatedLimits:
    """The store at `url`; one that is emulated has no limits. Raises ValueError."""
    return EmulatedLimits() if url.startswith("http://") else RedisLimits(url)


class RedisLimits:
    """`stack.control.ports.TierBackend` over Redis or Valkey. What is set is lost when the store restarts, and then set again."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url, retry=Retry(NoBackoff(), 0), max_connections=1, decode_responses=True)

    async def look(self) -> StoreSeen:
        try:
            used = int((await self._redis.info("memory"))["used_memory"])
            limits = await self._redis.config_get(_MEMORY, _POLICY)
            return StoreSeen(maxmemory_bytes=int(limits[_MEMORY] or ""), eviction_policy=limits[_POLICY], used_bytes=used)
        except (NoPermissionError, ResponseError) as error:
            return StoreSeen(error=f"{_CLOSED}: {error}", refusal=_CLOSED)
        except (RedisError, OSError, KeyError, TypeError, ValueError) as error:
            raise TierError(f"the store does not answer: {type(error).__name__}") from error

    async def limit(self, limits: StoreLimits) -> None:
        wanted = {_MEMORY: limits.maxmemory_bytes, _POLICY: limits.eviction_policy and limits.eviction_policy.value}
        try:
            for name, value in wanted.items():
                if value is not None:
                    await self._redis.config_set(name, value)
        except (RedisError, OSError) as error:
            raise TierError(f"the store did not take it: {error}") from error

    async def close(self) -> None:
        await self._redis.aclose()


class EmulatedLimits:
    """The emulator's L2, which has no limits to change."""

    async def look(self) -> StoreSeen:
        return StoreSeen(error=_EMULATED, refusal=_EMULATED)

    async def limit(self, limits: StoreLimits) -> None:
        raise TierError(_EMULATED)

    async def close(self) -> None:
        """Nothing is open."""
