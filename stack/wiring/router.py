"""The router process: names the concrete classes, joins them, runs until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
import uvloop
from prometheus_client import CollectorRegistry

from stack.adapters import logs
from stack.adapters.control_link import ControlLink
from stack.adapters.kv_events import KvEventSubscriber
from stack.adapters.probe import pulse
from stack.adapters.target_file import TargetFile
from stack.cache.index import BlockIndex
from stack.router.answer_leg import AnswerLeg
from stack.router.applied import Configuration
from stack.router.background import keep_going
from stack.router.completions import Completions
from stack.router.executor import Executor
from stack.router.fleet_keeper import FleetKeeper
from stack.router.greeter import Greeter
from stack.router.housekeeping import Housekeeping
from stack.router.in_flight import InFlight
from stack.router.inquiry import Inquiry
from stack.router.ledger import Ledger
from stack.router.meters import Meters
from stack.router.model_list import ModelList
from stack.router.poison import Poison
from stack.router.prefill_leg import PrefillLeg
from stack.router.records import RecordBuffer
from stack.router.relay import Relay
from stack.router.retry_budget import RetryBudget
from stack.router.route_headers import RouteHeaders
from stack.router.service import Service
from stack.router.sessions import Sessions
from stack.router.shelf import StrategyShelf
from stack.router.stalls import Stalls
from stack.router.state_collector import StateCollector
from stack.router.steering import Steering
from stack.router.upstream import Upstream
from stack.router.wire import Server
from stack.strategies.base import create, names
from stack.wiring.router_options import RouterOptions
from stack.wiring.router_tokens import model_tokens

log = logging.getLogger(__name__)


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
        self._index = BlockIndex()
        self._client = httpx.AsyncClient(trust_env=False)
        self._resources = AsyncExitStack()
        self._tokens = model_tokens(self._client, settings, self._registry, self._resources)
        shelf = StrategyShelf(names(), create)
        self.keeper = FleetKeeper(settings, self.in_flight, pulse)
        self.configuration = Configuration(shelf, lambda applied: self.keeper.drain(applied.draining))
        self._models = ModelList(self.keeper, self._upstream, settings)
        self._greeter = Greeter(self._tokens)
        self._housekeeping = Housekeeping(shelf, self._meters, self._upstream, self._models)
        self._subscriber = KvEventSubscriber(self._index, self._housekeeping, clock)
        self._housekeeping.watchers.append(self._subscriber)
        self.keeper.listeners += [self._housekeeping.fleet_changed, self._greeter.fleet_changed]
        StateCollector(lambda: self.keeper.fleet, self.in_flight, self.configuration, self.records, self._index).register(
            self._registry
        )
        self._service = Service(self._completions(shelf, clock), self._models, self.keeper, self._registry)
        self.server = Server(self._service.handle)
        self._tasks: list[asyncio.Task[None]] = []

    def _completions(self, shelf: StrategyShelf, clock: Callable[[], float]) -> Completions:
        options, keeper, in_flight = self._options, self.keeper, self.in_flight
        settings = options.settings
        headers = RouteHeaders(options.expose_route_headers)
        relay = Relay(keeper, settings, clock)
        poison = Poison(clock)
        retries = RetryBudget(settings.retry_share, settings.retries_saved)
        prefill = PrefillLeg(self._upstream, keeper, in_flight, poison, settings, clock)
        answer = AnswerLeg(self._upstream, keeper, in_flight, poison, relay, headers, settings, clock)
        return Completions(
            self.configuration,
            keeper,
            in_flight,
            Inquiry(self._tokens, self._index, Sessions(options.secret), settings, clock),
            Executor(prefill, answer, keeper, in_flight, poison, retries, settings, clock),
            poison,
            Ledger(self._meters, self.records, shelf),
            self._meters,
            headers,
            clock,
            time.time,
            options.engine_authorization.encode() if options.engine_authorization else None,
        )

    async def start(self) -> None:
        """Listen, and begin to follow the fleet and control. Raises OSError when the address cannot be had."""
        options, settings = self._options, self._options.settings
        if options.desired is not None:
            self.configuration.preset(options.desired.models)
        await self.server.start(options.host, options.port)
        targets, stalls = TargetFile(options.targets), Stalls(self.in_flight, settings, time.monotonic)
        work: dict[str, Callable[[], Awaitable[None]]] = {
            "targets": lambda: targets.watch(settings.targets_interval_s, self.keeper.retarget),
            "kv_events": self._subscriber.run,
            "greeter": self._greeter.run,
            "models": self._models.run,
            "stalls": stalls.run,
        }
        if options.control_url is not None:
            control = ControlLink(
                options.control_url, options.router_id, token=options.control_token, deadline_seconds=settings.control_deadline_s
            )
            link = await self._resources.enter_async_context(control)
            steering = Steering(
                options.router_id, link, self.configuration, self.keeper, self.in_flight, self.records, stalls, settings
            )
            work["steering"] = steering.run
        self._tasks = [asyncio.create_task(keep_going(site, run, self._meters.failed), name=site) for site, run in work.items()]

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
        await self._upstream.close()
        await self._client.aclose()
        return finished


def run(options: RouterOptions) -> None:
    """Serve until SIGTERM or SIGINT, then drain."""
    logs.configure()
    uvloop.run(_serve(options))


async def _serve(options: RouterOptions) -> None:
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    router = Router(options)
    await router.start()
    host, port = router.server.address
    log.info("router serves", extra={"host": host, "port": port, "router": options.router_id})
    await told.wait()
    log.info("router drains", extra={"in_flight": router.in_flight.total})
    finished = await router.stop()
    log.info("router stopped", extra={"all_finished": finished})
