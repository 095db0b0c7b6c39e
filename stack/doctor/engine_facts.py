"""Asking engines what they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime

import httpx
import zmq.asyncio

from stack.adapters.engine_version import engine_version
from stack.adapters.exposition import ExpositionError, fetch, fetch_json
from stack.adapters.kv_replay import ReplayError, replay
from stack.doctor.facts import Engine, EventSource, Process, Skew
from stack.doctor.fault import fault
from stack.engines.model_cards import own_models
from stack.engines.samples import Samples
from stack.engines.vllm import WANTED
from stack.engines.vllm_names import plain
from stack.model.target import Target

WITHIN_SECONDS = 5.0
# It asks for a key, or has no such page: what else it tells says whether it is there.
_HEALTH_UNTOLD = frozenset({401, 403, 404, 405})
_AT_ONCE = 16
_REPLAY_SECONDS = 2.0
_NEVER = 2**62  # a sequence no engine reaches: the answer is the end marker alone
_DATE_GRAIN_SECONDS = 2.0  # whole seconds, and servers remember the last one for up to another


async def ask_engines(
    http: httpx.AsyncClient,
    targets: Sequence[Target],
    process_of: Callable[[str], Process | None],
    clock: Callable[[], float],
) -> tuple[Engine, ...]:
    """The facts of every target. `clock` is the time in seconds since 1970. What an engine does not tell is None."""
    limit = asyncio.Semaphore(_AT_ONCE)
    context = zmq.asyncio.Context()

    async def one(target: Target) -> Engine:
        async with limit:
            return await _ask(http, context, target, process_of(target.url), clock)

    try:
        return tuple(await asyncio.gather(*(one(target) for target in targets)))
    finally:
        context.destroy(linger=0)


async def _ask(
    http: httpx.AsyncClient, context: zmq.asyncio.Context, target: Target, process: Process | None, clock: Callable[[], float]
) -> Engine:
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            sent = clock()
            health = await http.get(f"{target.url}/health")
            got = clock()
            if health.status_code not in _HEALTH_UNTOLD:
                health.raise_for_status()
    except (httpx.HTTPError, TimeoutError) as error:
        return Engine(target, fault=fault(error), process=process)
    events = _sources(await _json(http, f"{target.url}/kv_event_sources"))
    engine = Engine(
        target,
        version=await _version(http, target.url),
        roots=tuple(sorted({card.root for card in own_models(await _json(http, f"{target.url}/v1/models")) if card.root})),
        samples=await _samples(http, target.url + target.metrics_path),
        events=events,
        replays=await _replays(context, target.replay),
        skew=_skew(health.headers.get("date"), sent, got),
        process=process,
    )
    told = engine.version is not None or engine.roots or engine.samples is not None
    return engine if health.is_success or told else Engine(target, fault=f"{health.status_code} at /health", process=process)


async def _json(http: httpx.AsyncClient, url: str) -> object:
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            return await fetch_json(http, url)
    except (httpx.HTTPError, ExpositionError, TimeoutError):
        return None  # a version without it, or one that hides it: not told


async def _version(http: httpx.AsyncClient, url: str) -> str | None:
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            return await engine_version(http, url)
    except TimeoutError:
        return None


async def _samples(http: httpx.AsyncClient, url: str) -> Samples | None:
    try:
        async with asyncio.timeout(WITHIN_SECONDS):
            return await fetch(http, url, WANTED, plain=plain)
    except (httpx.HTTPError, ExpositionError, TimeoutError):
        return None


async def _replays(context: zmq.asyncio.Context, endpoint: str | None) -> bool | None:
    if endpoint is None:
        return None
    try:
        async for _ in replay(context, endpoint, _NEVER, _REPLAY_SECONDS):
            pass
    except (TimeoutError, ReplayError, zmq.ZMQError):
        return False
    return True


def _sources(answer: object) -> tuple[EventSource, ...] | None:
    """By rank; empty where an engine says that it has none."""
    if not isinstance(answer, Mapping):
        return None
    return tuple(
        EventSource(bool(one.get("enable_kv_cache_events")), one.get("endpoint"), one.get("replay_endpoint"))
        for one in answer.values()
        if isinstance(one, Mapping)
    )


def _skew(date: str | None, sent: float, got: float) -> Skew | None:
    try:
        told = parsedate_to_datetime(date or "").timestamp()
    except ValueError:
        return None
    return Skew(told - got, told + _DATE_GRAIN_SECONDS - sent)
