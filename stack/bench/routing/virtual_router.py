"""A router in virtual time: its own inquiry, plan, in-flight counts, ledger and strategies; only the network is played."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry

from stack.bench.routing.agenda import Agenda
from stack.bench.routing.carrier import Carrier
from stack.bench.routing.virtual_engine import VirtualEngine
from stack.bench.routing.workload import MODEL, Turn
from stack.cache.index import BlockIndex
from stack.cache.rates import RateBook
from stack.cache.tier_index import TierIndex
from stack.control.decision import DecisionRecord
from stack.control.state import ModelState
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.engines.vllm_events import Reader
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member
from stack.model.kv_event import Source
from stack.model.placement import UnknownReason
from stack.model.rates import Rates
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.applied import Configuration
from stack.router.errand import Errand
from stack.router.header_fields import HeaderFields, HeaderLines
from stack.router.hindsight import Hindsight
from stack.router.identity import Identity
from stack.router.in_flight import InFlight
from stack.router.inquiry import Inquiry
from stack.router.ledger import Ledger
from stack.router.lineup import Lineup
from stack.router.message import Request
from stack.router.meters import Meters
from stack.router.phases import Timeline
from stack.router.placing import Placing
from stack.router.planning import Candidates, plan_for
from stack.router.recording import record_of
from stack.router.records import RecordBuffer
from stack.router.sessions import Sessions
from stack.router.settings import RouterSettings
from stack.router.shadowing import Shadowing
from stack.router.shelf import StrategyShelf
from stack.strategies.base import create, names

T = TypeVar("T")

Done = Callable[[DecisionRecord, list[float]], None]
_SETTINGS = RouterSettings()


class _Known:
    """The tokens of prompts that were made ready beforehand."""

    def __init__(self) -> None:
        self.turn: Turn | None = None

    def unusable(self, model: str) -> UnknownReason | None:
        return None

    async def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> Sequence[int]:
        assert self.turn is not None
        return self.turn.tokens


class VirtualRouter:
    """One router over `engines`, told whether there are `others`.

    Everything between it and them takes `network_seconds`; events take `event_seconds`.
    """

    def __init__(
        self,
        agenda: Agenda,
        engines: Mapping[str, tuple[VirtualEngine, Pool]],
        state: ModelState,
        profile: Rates,
        network_seconds: float,
        others: bool,
    ) -> None:
        self._agenda = agenda
        self.index = BlockIndex()
        self._readers = {name: Reader() for name in engines}
        self._fleet = Fleet.of(Member(_ready(name, pool)) for name, (_, pool) in engines.items())
        for name in engines:
            self.index.follow(Source(name))
            self.index.seen(Source(name), agenda.now)
        self._in_flight = InFlight(agenda.clock)
        self._in_flight.sent.others.told = others
        rates = RateBook(profile)
        self._lineup = Lineup(self._in_flight, rates)
        self._carrier = Carrier(agenda, {name: engine for name, (engine, _) in engines.items()}, self._in_flight, network_seconds)
        self._known = _Known()
        placing = Placing(self.index, TierIndex(chunk_names, knows))
        self._inquiry = Inquiry(self._known, placing, Sessions(b"bench"), self._in_flight.sent, _SETTINGS, agenda.clock)
        meters, hindsight = Meters(CollectorRegistry()), Hindsight(CollectorRegistry())
        shadowing = Shadowing(hindsight, meters.failed, agenda.clock)
        self._ledger = Ledger(meters, hindsight, RecordBuffer(kept=1), rates, self._in_flight.sent.others, shadowing)
        self._configuration = Configuration(StrategyShelf(names(), create))
        self._configuration.preset({MODEL: state})
        self._asked = 0

    def heard(self, engine: str, payload: bytes) -> None:
        """KV events of an engine arrived."""
        self.index.apply(Source(engine), self._readers[engine].read(payload), self._agenda.now)

    def ask(self, turn: Turn, session: str, done: Done) -> None:
        """Decide and carry out one request; `done` gets its record and the seconds between its tokens."""
        self._asked += 1
        request = Request("POST", turn.parsed.path, "", HeaderFields(((b"x-session-id", session.encode()),)), b"", self._agenda.now)
        served = self._configuration.current.models[MODEL]
        self._known.turn = turn
        route = _now(self._inquiry.about(request, turn.parsed, f"r{self._asked}", self._fleet, served))
        candidates = Candidates.of(MODEL, self._fleet, self._lineup)
        plan = plan_for(turn.parsed, route, candidates, served)
        errand = Errand(
            parsed=turn.parsed,
            identity=Identity.named(route.request_id),
            outbound=HeaderLines(b""),
            fleet=self._fleet,
            served=served,
            generation=0,
            route=route,
            plan=plan,
            timeline=Timeline(received=self._agenda.now),
            at=self._agenda.now,
            engine=plan.decode.engine,
            candidates=candidates,
            decided_at=self._agenda.now,
            probed_at=None,
        )
        self._carrier.run(errand, turn, lambda: self._close(errand, done))

    def _close(self, errand: Errand, done: Done) -> None:
        gaps = errand.gaps
        self._ledger.close(errand)
        done(record_of(errand), gaps)


def _ready(name: str, pool: Pool) -> Engine:
    target = Target(replica=name, url=f"http://{name}", pool=pool, model=MODEL, model_root=MODEL, emulated=True)
    return Engine(target, Health.READY)


def _now(work: Coroutine[None, None, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("virtual time cannot wait")
