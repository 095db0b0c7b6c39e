"""Asking an LMCache server, a store and a Prometheus what they are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from stack.adapters.exposition import ExpositionError, fetch, fetch_json
from stack.doctor.facts import CacheServer, Prometheus, Rule, Scrape, Store
from stack.doctor.fault import fault
from stack.engines import lmcache
from stack.engines.lmcache_l2 import L2Address, L2FormatError, address, of_server
from stack.metrics.duration import seconds

WITHIN_SECONDS = 10.0
_LONGEST = 64  # of a version: it is shown


class _Flags(msgspec.Struct):
    data: dict[str, str]


class _Rule(msgspec.Struct):
    name: str
    query: str = ""
    health: str = "unknown"


class _RuleGroup(msgspec.Struct):
    rules: list[_Rule] = []


class _RuleGroups(msgspec.Struct):
    groups: list[_RuleGroup] = []


class _Rules(msgspec.Struct):
    data: _RuleGroups


class _Target(msgspec.Struct, rename="camel"):
    labels: dict[str, str] = {}
    health: str = "unknown"
    last_scrape_duration: float = 0.0
    scrape_timeout: str = ""


class _Active(msgspec.Struct, rename="camel"):
    active_targets: list[_Target] = []


class _Targets(msgspec.Struct):
    data: _Active


async def ask_cache_server(http: httpx.AsyncClient, url: str) -> CacheServer:
    """What the LMCache server whose HTTP port is at `url` tells."""
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            status = await fetch_json(http, f"{url}/status")
            samples = await fetch(http, f"{url}/metrics", lmcache.WANTED)
    except (httpx.HTTPError, ExpositionError, TimeoutError) as error:
        return CacheServer(None, None, fault(error))
    if not isinstance(status, Mapping):
        return CacheServer(None, None, "no JSON object")
    return CacheServer(status, frozenset(lmcache.read(samples).hits), l2=await _l2(http, url), version=await _version(http, url))


async def _version(http: httpx.AsyncClient, url: str) -> str | None:
    """What the server says it is; None from one that does not tell."""
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            told = await fetch_json(http, f"{url}/lmc_version")
    except (httpx.HTTPError, ExpositionError, TimeoutError):
        return None
    return told[:_LONGEST] if isinstance(told, str) and told.isprintable() else None


async def _l2(http: httpx.AsyncClient, url: str) -> tuple[L2Address, ...] | None:
    """The L2s a server uses; None from one that does not tell."""
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            return of_server(await fetch_json(http, f"{url}/config"))
    except (httpx.HTTPError, ExpositionError, L2FormatError, TimeoutError):
        return None


async def ask_store(url: str) -> Store:
    """What the Redis or Valkey at `url` tells of its memory. Raises L2FormatError for what is no URL of one."""
    meant = address(url)
    try:
        async with asyncio.timeout(WITHIN_SECONDS), Redis.from_url(url, retry=Retry(NoBackoff(), 0)) as store:
            info = await store.info()
    except (RedisError, OSError, ValueError) as error:
        return Store(meant, fault=type(error).__name__)
    return Store(meant, info.get("used_memory"), info.get("maxmemory"), info.get("maxmemory_policy"), refuses=_refuses(info))


def _refuses(info: Mapping[str, Any]) -> str | None:
    if info.get("role") == "slave" and info.get("slave_read_only", 1):
        return "it is a replica, and read-only"
    return "it is loading its data" if info.get("loading") else None


async def ask_prometheus(http: httpx.AsyncClient, url: str) -> Prometheus:
    """What the Prometheus at `url` tells over its API."""
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            flags = await _get(http, f"{url}/api/v1/status/flags", _Flags)
            rules = await _get(http, f"{url}/api/v1/rules", _Rules)
            targets = await _get(http, f"{url}/api/v1/targets?state=active", _Targets)
    except (httpx.HTTPError, ExpositionError, msgspec.ValidationError, TimeoutError) as error:
        return Prometheus(fault=fault(error))
    return Prometheus(
        retention=flags.data.get("storage.tsdb.retention.time"),
        size_limit=flags.data.get("storage.tsdb.retention.size"),
        rules=tuple(Rule(each.name, each.query, each.health) for group in rules.data.groups for each in group.rules),
        scrapes=tuple(_scrape(target) for target in targets.data.active_targets),
    )


def _scrape(target: _Target) -> Scrape:
    labels = target.labels
    place = labels.get("replica") or labels.get("pod") or labels.get("instance", "")
    return Scrape(
        f"{labels.get('job', '')}/{place}", target.health, target.last_scrape_duration, seconds(target.scrape_timeout) or None
    )


async def _get(http: httpx.AsyncClient, url: str, kind: type[Any]) -> Any:
    return msgspec.convert(await fetch_json(http, url), kind)
