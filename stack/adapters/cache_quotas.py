"""A cache server's quotas over its HTTP port."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from stack.control.ports import TierError
from stack.engines import lmcache_quota
from stack.engines.lmcache_events import CacheEventFormatError


class LMCacheQuotas:
    """`stack.control.ports.QuotaBackend` of LMCache servers. The port has no authentication, so it is asked without."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def quotas(self, url: str) -> Mapping[str, int]:
        try:
            answer = (await self._client.get(url + lmcache_quota.PATH)).raise_for_status()
            return lmcache_quota.read(answer.content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TierError(f"does not tell its quotas: {type(error).__name__}") from error
        except CacheEventFormatError as error:
            raise TierError("tells its quotas in a form that is not known") from error

    async def limit(self, url: str, salt: str, most: int | None) -> None:
        at = url + lmcache_quota.path(salt)
        try:
            asked = self._client.delete(at) if most is None else self._client.put(at, json=lmcache_quota.body(most))
            (await asked).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TierError(f"did not take a quota: {type(error).__name__}") from error
