"""Joins what one request passes through in a router, from its inquiry to its last byte."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from stack.adapters.model_tokens import ModelTokens
from stack.cache.index import BlockIndex
from stack.cache.rates import RateBook
from stack.cache.tier_index import TierIndex
from stack.router.admission import Admission
from stack.router.answer_leg import AnswerLeg
from stack.router.applied import Configuration
from stack.router.asking import Asking
from stack.router.completions import Completions
from stack.router.deciding import Decider
from stack.router.drawing import Drawing
from stack.router.executor import Executor
from stack.router.fleet_keeper import FleetKeeper
from stack.router.hindsight import Hindsight
from stack.router.in_flight import InFlight
from stack.router.inquiry import Inquiry
from stack.router.ledger import Ledger
from stack.router.lineup import Lineup
from stack.router.message import Handler
from stack.router.meters import Meters
from stack.router.observing import Observing
from stack.router.placing import Placing
from stack.router.poison import Poison
from stack.router.prefill_leg import PrefillLeg
from stack.router.records import RecordBuffer
from stack.router.relay import Relay
from stack.router.retry_budget import RetryBudget
from stack.router.route_headers import RouteHeaders
from stack.router.sessions import Sessions
from stack.router.shadowing import Shadowing
from stack.router.shortcut import Shortcut
from stack.router.sightings import Sightings
from stack.router.trust import Trust
from stack.router.unclaimed import Collection
from stack.router.upstream import Upstream
from stack.wiring.router_options import RouterOptions

OBSERVING_SHARE = 0.5  # of a core for shadows, where there is nothing else to do


@dataclass(frozen=True, slots=True)
class Shared:
    """The parts of a router that requests share with what goes on beside them."""

    configuration: Configuration
    keeper: FleetKeeper
    in_flight: InFlight
    lineup: Lineup
    admission: Admission
    rates: RateBook
    upstream: Upstream
    meters: Meters
    hindsight: Hindsight
    sightings: Sightings
    records: RecordBuffer
    index: BlockIndex
    tiers: TierIndex
    tokens: ModelTokens
    collection: Collection
    clock: Callable[[], float]


def handler(options: RouterOptions, shared: Shared) -> Handler:
    """What answers requests that name a model."""
    sessions = Sessions(options.secret)
    decider = Decider(
        shared.configuration,
        shared.keeper,
        shared.lineup,
        shared.admission,
        Inquiry(
            shared.tokens,
            Placing(shared.index, shared.tiers),
            sessions,
            shared.in_flight.sent,
            options.settings,
            shared.clock,
        ),
        Drawing(sessions),
        shared.clock,
        time.time,
        options.engine_authorization.encode() if options.engine_authorization else None,
    )
    return _observing(decider, options, shared) if options.observe else _completing(decider, options, shared)


def _observing(decider: Decider, options: RouterOptions, shared: Shared) -> Handler:
    sightings = shared.sightings
    shadowing = Shadowing(sightings, shared.meters.failed, shared.clock, budget_share=OBSERVING_SHARE)
    answer_s = options.settings.observed_answer_s
    return Observing(decider, shared.in_flight, shadowing, shared.records, sightings, answer_s).serve


def _completing(decider: Decider, options: RouterOptions, shared: Shared) -> Handler:
    keeper, in_flight, upstream, clock = shared.keeper, shared.in_flight, shared.upstream, shared.clock
    settings = options.settings
    headers = RouteHeaders(options.expose_route_headers)
    relay = Relay(keeper, settings, clock)
    poison = Poison(clock)
    retries = RetryBudget(settings.retry_share, settings.retries_saved)
    trust = Trust(settings, clock)
    keeper.listeners.append(trust.fleet_changed)
    prefill = PrefillLeg(upstream, keeper, in_flight, poison, settings, clock)
    asking = Asking(upstream.limits, keeper, in_flight, poison, headers, settings, clock)
    answer = AnswerLeg(asking, upstream, keeper, in_flight, poison, relay, shared.collection, headers, settings)
    shadowing = Shadowing(shared.hindsight, shared.meters.failed, clock)
    return Completions(
        decider,
        Executor(prefill, answer, keeper, in_flight, shared.lineup, poison, retries, trust, settings, clock),
        poison,
        shadowing,
        Ledger(shared.meters, shared.hindsight, shared.records, shared.rates, in_flight.sent.others, shadowing),
        shared.meters,
        headers,
        clock,
        Shortcut(asking, upstream, retries) if settings.shortcut else None,
    ).serve
