"""A router: names the concrete classes and joins them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
from prometheus_client import CollectorRegistry

from stack.adapters.control_link import ControlLink
from stack.adapters.kv_events import KvEventSubscriber
from stack.adapters.probe import pulse
from stack.cache.index import BlockIndex, IndexLimits
from stack.cache.rates import RateBook
from stack.cache.tier_index import TierIndex
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.router.admission import Admission
from stack.router.applied import Applied, Configuration
from stack.router.background import keep_going
from stack.router.exposition import OwnExposition, WorkerExposition
from stack.router.fleet_keeper import FleetKeeper
from stack.router.greeter import Greeter
from stack.router.hindsight import Hindsight
from stack.router.housekeeping import Housekeeping
from stack.router.in_flight import InFlight
from stack.router.index_collector import IndexCollector
from stack.router.knowing import Knowing
from stack.router.lineup import Lineup
from stack.router.message import Limits
from stack.router.meters import NO_MODEL, Meters
from stack.router.model_list import ModelList
from stack.router.rate_collector import RateCollector
from stack.router.records import RecordBuffer
from stack.router.service import Service
from stack.router.shelf import StrategyShelf
from stack.router.sightings import Sightings
from stack.router.stalls import Stalls
from stack.router.state_collector import StateCollector
from stack.router.steering import Steering
from stack.router.tier_follower import TierFollower
from stack.router.unclaimed import Collection
from stack.router.upstream import Upstream
from stack.router.wire import Server
from stack.strategies.base import create, names
from stack.wiring.engine_list import engine_list
from stack.wiring.request_path import Shared, handler
from stack.wiring.router_options import RouterOptions
from stack.wiring.router_tokens import model_tokens


class Router:
    """One router with all its parts. `start`, then `stop`."""

    def __init__(self, options: RouterOptions) -> None:
        settings, clock = options.settings, time.monotonic
        self._options = options
        self._registry = CollectorRegistry()
        self.in_flight = InFlight()
        self._upstream = Upstream()
        self._meters = Meters(self._registry)
        self.records = RecordBuffer(settings.records_kept)
        self._index = BlockIndex(IndexLimits(settings.index_blocks_per_rank, settings.index_blocks))
        self._tiers = TierIndex(chunk_names, knows)
        self._client = httpx.AsyncClient(trust_env=False)
        self._resources = AsyncExitStack()
        self._tokens = model_tokens(self._client, settings, self._registry, self._resources)
        rates = RateBook(options.profile)
        lineup = Lineup(self.in_flight, rates)
        self.keeper = FleetKeeper(settings, self.in_flight, pulse)
        self.configuration = Configuration(StrategyShelf(names(), create), self._applied, observes=options.observe)
        self.admission = Admission(self.in_flight, lineup, lambda: self.keeper.fleet)
        self._models = ModelList(self.keeper, self._upstream, settings)
        self._greeter = Greeter(self._tokens)
        self._housekeeping = Housekeeping(self.in_flight.sent, self._meters, self._upstream, self._models)
        self._subscriber = KvEventSubscriber(self._index, self._housekeeping, clock, bind_at=options.kv_events_bind)
        self._housekeeping.watchers += [self._subscriber, lineup]
        self.keeper.listeners += [self._housekeeping.fleet_changed, self._greeter.fleet_changed, self.admission.fleet_changed]
        self._stalls = Stalls(self.in_flight, settings, clock, self._stalled)
        StateCollector(
            lambda: self.keeper.fleet, self.in_flight, self.configuration, self.records, self.admission, self._stalls
        ).register(self._registry)
        IndexCollector(lambda: self.keeper.fleet, self._index, self._tiers, clock).register(self._registry)
        RateCollector(lambda: self.keeper.fleet, rates).register(self._registry)
        self._collection = Collection(self._upstream, settings, self._meters.collected)
        shared = Shared(
            configuration=self.configuration,
            keeper=self.keeper,
            in_flight=self.in_flight,
            lineup=lineup,
            admission=self.admission,
            rates=rates,
            upstream=self._upstream,
            meters=self._meters,
            hindsight=Hindsight(self._registry),
            sightings=Sightings(self._registry, self._meters),
            records=self.records,
            index=self._index,
            tiers=self._tiers,
            tokens=self._tokens,
            collection=self._collection,
            clock=clock,
        )
        own, seat = OwnExposition(self._registry), options.seat
        self._worker = None if seat is None else WorkerExposition(self._registry, seat)
        self._service = Service(handler(options, shared), self._models, self.keeper, self._worker or own, observes=options.observe)
        limits = Limits(body_bytes=options.body_bytes)
        self.server = Server(self._service.handle, limits, refused=lambda status: self._meters.unrouted(NO_MODEL, status))
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen, and begin to follow the fleet and control. Raises OSError, AccessError."""
        options, settings = self._options, self._options.settings
        self._applied(self.configuration.current)
        if options.desired is not None:
            self.configuration.preset(options.desired.models)
        if self._worker is not None:
            telling = await self._worker.open()
            self._resources.callback(telling.close)
        await self.server.start(options.host, options.port, shared=self._worker is not None)
        targets = engine_list(options, self._client)
        work: dict[str, Callable[[], Awaitable[None]]] = {
            "targets": lambda: targets.watch(settings.targets_interval_s, self.keeper.retarget),
            "kv_events": self._subscriber.run,
            "greeter": self._greeter.run,
            "models": self._models.run,
            "stalls": self._stalls.run,
            "health": self.keeper.run,
        }
        if options.control_url is not None:
            control = ControlLink(
                options.control_url,
                options.router_id,
                token=options.control_token,
                authorities=options.control_authorities,
                deadline_seconds=settings.control_deadline_s,
            )
            link = await self._resources.enter_async_context(control)
            accounts = (self._stalls.account, lambda engine: self._index.account(engine, time.monotonic()))
            sent = InFlight() if options.observe else self.in_flight  # what an observer assumes, no engine has
            steering = Steering(
                options.router_id, secrets.token_hex(8), link, self.configuration, self.keeper, sent, self.records, accounts,
                Knowing(self._tokens, self._index), settings, self._meters.failed,
            )  # fmt: skip
            work["steering"] = steering.run
            work["tiers"] = TierFollower(link, self._tiers, settings, time.monotonic).run
        self._tasks = [asyncio.create_task(keep_going(site, run, self._meters.failed), name=site) for site, run in work.items()]

    def _applied(self, applied: Applied) -> None:
        self.keeper.drain(applied.draining)
        self.in_flight.sent.others.told = applied.others or self._options.seat is not None  # workers know nothing of each other

    def _stalled(self, engine: str, account: str) -> None:
        member = self.keeper.fleet.members.get(engine)
        served = None if member is None else self.configuration.current.models.get(member.engine.target.model)
        if served is not None and served.eject_stalled:
            self.keeper.eject(engine, f"when {account}")

    async def stop(self) -> bool:
        """Take no more, let streams finish, close everything. False when some had to be cut off."""
        self._service.draining = True
        await asyncio.sleep(self._options.settings.accept_delay_s)
        finished = await self.server.drain(self._options.settings.drain_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.keeper.close()
        await self._resources.aclose()
        await self._collection.close()
        await self._upstream.close()
        await self._client.aclose()
        return finished
