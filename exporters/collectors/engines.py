"""Engines: each one's tiers, requests, tokens and KV transfers, from its own /metrics."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence

from exporters import lmcache_models, lmcache_points
from exporters.aside import aside
from exporters.bound import nameable
from exporters.collector import Context, EnginePrompt, Point, Seen, collectors
from exporters.watch import Watch
from stack.adapters.engine_version import engine_version
from stack.adapters.exposition import ExpositionError, fetch, fetch_json
from stack.engines import vllm_page
from stack.engines.lmcache import WANTED_INSIDE, Reading, inside
from stack.engines.model_cards import own_models
from stack.engines.quantities import State
from stack.engines.versions import version as numbers
from stack.engines.vllm import WANTED, EngineReading, read, started
from stack.engines.vllm_names import plain
from stack.engines.vllm_transfers import Transfers
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.target import Target
from stack.model.tier import Tier

# Of an engine's own buckets so many are shown: each is a series, and an engine has 120 at the most.
BUCKETS, STAY_BUCKETS = 8, 5
_NAMES = WANTED | WANTED_INSIDE


@collectors.register("engines")
class Engines:
    """Reads vLLM engines: those of the target file and those named."""

    stage = 0
    reads_urls = True

    def __init__(self, context: Context) -> None:
        self._context = context
        self._watch = Watch(context.clock)
        self._learnt: dict[str, float | None] = {}  # by replica: the process that said its model
        self._versions: dict[str, tuple[float | None, str]] = {}  # by replica: the process it was asked of, and its answer

    def targets(self) -> Sequence[str]:
        return [target.replica for target in self._context.fleet()]

    async def read(self, target: str) -> Seen:
        listed = self._listed(target)
        samples = await fetch(self._context.http, listed.url + listed.metrics_path, _NAMES, plain=plain, turn=self._context.turn)
        if (fault := vllm_page.fault(samples)) is not None:
            raise ExpositionError(fault)
        begun = started(samples)
        version, _ = await asyncio.gather(self._version(listed, begun), self._learn(listed, begun, vllm_page.model(samples)))
        engine = self._listed(target)
        reading, within = read(samples, numbers(version)), inside(samples)
        prompt = None if reading.prompt is None else EnginePrompt(engine, reading.prompt, reading.started)
        quantities = [*reading.quantities, *(() if within is None else within.exposed.all.values())]
        found = [*points(engine, reading, within), info(engine, version)]
        states = self._watch.states(target, quantities)
        if State.RESET in states.values():
            self._ask_again(target)
        return Seen(found, states, prompt=prompt)

    def unread(self, target: str) -> Sequence[Point]:
        self._ask_again(target)
        return [info(self._listed(target), None)]

    def forget(self, target: str) -> None:
        self._watch.forget(target)
        self._versions.pop(target, None)
        self._learnt.pop(target, None)

    async def close(self) -> None:
        """Nothing of its own is open."""

    def _listed(self, replica: str) -> Target:
        return next(target for target in self._context.fleet() if target.replica == replica)

    async def _learn(self, engine: Target, started: float | None, named: str | None) -> None:
        """Which model an engine serves of which nobody said; asked once a process, and until it says.

        Behind an API key it does not say: then its series' own name is all there is, and it is asked again.
        """
        if engine.model and self._learnt.get(engine.replica, started) == started:
            return
        served = own_models(await aside(fetch_json(self._context.http, f"{engine.url}/v1/models")))
        if served and nameable(served[0].name):
            self._context.learn(engine.replica, served[0].name, served[0].root or served[0].name)
            self._learnt[engine.replica] = started
        elif named is not None and named != engine.model and nameable(named):
            self._context.learn(engine.replica, named, named)
            self._learnt[engine.replica] = math.nan

    async def _version(self, engine: Target, started: float | None) -> str | None:
        """The engine's version, asked once a process; None while it does not say."""
        known = self._versions.get(engine.replica)
        if known and known[0] == started:
            return known[1]
        version = await aside(engine_version(self._context.http, engine.url))
        if version is not None:
            self._versions[engine.replica] = (started, version)
        return version

    def _ask_again(self, target: str) -> None:
        """Another process may be there now: not all engines tell when theirs began."""
        self._versions.pop(target, None)
        if target in self._learnt:
            self._learnt[target] = math.nan


def info(engine: Target, version: str | None) -> Point:
    """The engine's identity; without a version while that is not known."""
    labels = _labels(engine) | {Label.EMULATED: "true" if engine.emulated else "false"}
    return Point(catalog.TARGET_INFO, labels | ({Label.VERSION: version} if version else {}), 1.0)


def points(engine: Target, reading: EngineReading, within: Reading | None = None) -> Iterator[Point]:
    """What one engine says of itself, and the LMCache that is `within` it; what it does not say is left out."""
    own = _labels(engine)
    for state, requests in (("running", reading.running), ("waiting", reading.waiting)):
        if requests is not None:
            yield Point(catalog.ENGINE_REQUESTS, own | {Label.STATE: state}, requests)
    if reading.generated is not None:
        yield Point(catalog.ENGINE_GENERATED_TOKENS, own, reading.generated)
    if reading.preemptions is not None:
        yield Point(catalog.ENGINE_PREEMPTIONS, own, reading.preemptions)
    for phase, took in reading.phases.items():
        yield Point(catalog.ENGINE_PHASE_DURATION, own | {Label.PHASE: phase}, took.thinned(BUCKETS))
    yield from _tiers(own, reading)
    for transfers in reading.transfers:
        yield from _transfers(own, transfers)
    if within is not None:
        yield from lmcache_models.points(own, within, lambda root: engine.model)
        yield from lmcache_points.points(own, within, str)


def _tiers(own: dict[Label, str], reading: EngineReading) -> Iterator[Point]:
    for tier, lookups in reading.lookups.items():
        yield Point(catalog.CACHE_LOOKUP_TOKENS, own | {Label.TIER: tier}, lookups.asked)
        yield Point(catalog.CACHE_HIT_TOKENS, own | {Label.TIER: tier}, lookups.found)
    for tier, ratio in reading.used_ratio.items():
        yield Point(catalog.CACHE_USED_RATIO, own | {Label.TIER: tier}, ratio)
    if reading.capacity_bytes is not None:
        yield Point(catalog.CACHE_CAPACITY_BYTES, own | {Label.TIER: Tier.ENGINE}, reading.capacity_bytes)
        if Tier.ENGINE in reading.used_ratio:
            used = reading.used_ratio[Tier.ENGINE] * reading.capacity_bytes
            yield Point(catalog.CACHE_USED_BYTES, own | {Label.TIER: Tier.ENGINE}, used)
    for event, stays in reading.residency.items():
        yield Point(catalog.CACHE_RESIDENCY, own | {Label.TIER: Tier.ENGINE, Label.EVENT: event}, stays.thinned(STAY_BUCKETS))
    for (tier, reason), failures in reading.allocation_failures.items():
        yield Point(catalog.CACHE_ALLOCATION_FAILURES, own | {Label.TIER: tier, Label.REASON: reason}, failures)


def _transfers(own: dict[Label, str], transfers: Transfers) -> Iterator[Point]:
    over = own | {Label.TRANSPORT: transfers.transport}
    moved = over | {Label.DIRECTION: transfers.direction}
    if transfers.bytes is not None:
        yield Point(catalog.KV_TRANSFER_BYTES, moved, transfers.bytes)
    if transfers.seconds is not None:
        yield Point(catalog.KV_TRANSFER_DURATION, moved, transfers.seconds.thinned(BUCKETS))
    if transfers.busy_seconds is not None:
        yield Point(catalog.KV_TRANSFER_BUSY, moved, transfers.busy_seconds)
    for reason, failures in transfers.failures.items():
        yield Point(catalog.KV_TRANSFER_FAILURES, over | {Label.REASON: reason}, failures)
    if transfers.failures_doubtful is not None:
        yield Point(catalog.KV_TRANSFER_FAILURES_DOUBTFUL, over, float(transfers.failures_doubtful))


def _labels(engine: Target) -> dict[Label, str]:
    return {Label.MODEL_NAME: engine.model, Label.POOL: engine.pool, Label.REPLICA: engine.replica}
