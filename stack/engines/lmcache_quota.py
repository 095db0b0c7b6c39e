"""Quotas by cache salt of an LMCache server (0.5.6): `GET /quota`, `PUT` and `DELETE /quota/{salt}`; GB there are 2^30 bytes.

They are soft: what a salt has beyond its quota is evicted from L2 within about a second, by adapters whose eviction policy is
IsolatedLRU and by no others. Such an adapter evicts the KV of salts without a quota whole. Requests without a salt are
`_default`.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from stack.engines.lmcache_events import CacheEventFormatError

_GIB = 1 << 30
PATH = "/quota"


class _Quota(msgspec.Struct):
    limit_gb: float


class _Quotas(msgspec.Struct):
    users: dict[str, _Quota]


def read(document: bytes) -> Mapping[str, int]:
    """The quotas by salt, in bytes. Raises CacheEventFormatError."""
    try:
        quotas = msgspec.json.decode(document, type=_Quotas)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CacheEventFormatError(str(error)) from error
    return {salt: round(quota.limit_gb * _GIB) for salt, quota in quotas.users.items()}


def path(salt: str) -> str:
    """Where the quota of `salt` is."""
    return f"{PATH}/{quote(salt, safe='')}"


def body(limit_bytes: int) -> dict[str, float]:
    """What to PUT there."""
    return {"limit_gb": limit_bytes / _GIB}
