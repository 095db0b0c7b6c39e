"""A request goes by the configuration of its start, and to engines that are there, and staying, when it is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from stack.cache.index import BlockIndex
from stack.cache.rates import RateBook
from stack.cache.sent import SentPrefixes
from stack.cache.tier_index import TierIndex
from stack.control.state import Dpd, ModelState
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.fleet.engine import Engine, Health
from stack.fleet.machine import DrainingChanged, step
from stack.fleet.snapshot import Fleet, Member
from stack.model.placement import UnknownReason
from stack.model.rates import PROFILE
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.admission import Admission
from stack.router.applied import Configuration
from stack.router.deciding import Decider
from stack.router.drawing import Drawing
from stack.router.fleet_keeper import FleetKeeper
from stack.router.header_fields import HeaderFields
from stack.router.in_flight import InFlight
from stack.router.inquiry import Inquiry
from stack.router.lineup import Lineup
from stack.router.message import Request
from stack.router.openai import CHAT, parse
from stack.router.placing import Placing
from stack.router.sessions import Sessions
from stack.router.settings import RouterSettings
from stack.router.shelf import StrategyShelf
from stack.strategies.base import create, names


def _member(name: str) -> Member:
    return Member(
        Engine(Target(replica=name, url=f"http://{name}", pool=Pool.DECODE, model="m", model_root="/m"), health=Health.READY)
    )


@dataclass
class Keeper:
    """As much of a FleetKeeper as a decision needs."""

    fleet: Fleet = field(default_factory=lambda: Fleet.of([_member("decode-0"), _member("decode-1")]))
    probed_at: Mapping[str, float] = field(default_factory=dict)


@dataclass
class SlowTokens:
    """While a prompt is tokenized, decode-0 begins to leave and another configuration is applied."""

    keeper: Keeper
    configuration: Configuration

    def unusable(self, model: str) -> UnknownReason | None:
        return None

    async def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> Sequence[int]:
        self.keeper.fleet = step(self.keeper.fleet, DrainingChanged(frozenset({"decode-0"})))
        self.configuration.preset({"m": ModelState(strategy="session", dpd=Dpd(routing_threshold=1))})
        return [1, 2, 3]


async def test_an_engine_that_begins_to_leave_while_a_prompt_is_tokenized_does_not_get_it() -> None:
    keeper, in_flight, settings, sessions = Keeper(), InFlight(), RouterSettings(), Sessions(b"s")
    configuration = Configuration(StrategyShelf(names(), create))
    configuration.preset({"m": ModelState(strategy="round_robin", dpd=Dpd(enabled=False))})
    lineup = Lineup(in_flight, RateBook(PROFILE))
    placing = Placing(BlockIndex(), TierIndex(chunk_names, knows))
    inquiry = Inquiry(SlowTokens(keeper, configuration), placing, sessions, SentPrefixes(), settings, lambda: 10.0)
    decider = Decider(
        configuration,
        cast(FleetKeeper, keeper),
        lineup,
        Admission(in_flight, lineup, lambda: keeper.fleet),
        inquiry,
        Drawing(sessions),
        lambda: 10.0,
        lambda: 1_700_000_000.0,
    )
    body = msgspec.json.encode({"model": "m", "messages": [{"role": "user", "content": "hello"}]})
    request, parsed = Request("POST", CHAT, "", HeaderFields(()), body, 0.0), parse(CHAT, body)
    start = decider.start(request)
    served = decider.served("m", start)
    assert served is not None
    errand = await decider.errand(request, parsed, served, start)
    assert (errand.plan.decode_strategy, errand.plan.reason, errand.engine) == ("round_robin", "dpd_disabled", "decode-1")
    assert errand.url("decode-1") == "http://decode-1"
