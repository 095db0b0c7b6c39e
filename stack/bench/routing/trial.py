"""One run: a fleet, a workload, a strategy, and what came of every request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stack.bench.routing.agenda import Agenda
from stack.bench.routing.virtual_engine import VirtualEngine
from stack.bench.routing.virtual_router import VirtualRouter
from stack.bench.routing.workload import Conversation, Workload
from stack.control.decision import DecisionRecord
from stack.control.state import ModelState
from stack.emulator.events import Medium
from stack.emulator.profiles import Profile
from stack.emulator.tiers import CacheTier, Tiers
from stack.emulator.transfer import Fabric
from stack.model.rates import Rates
from stack.model.tier import Pool

EVENT_SECONDS = 0.004  # measured on a real engine: 1 to 6 ms after the step
NETWORK_SECONDS = 0.0005


@dataclass(frozen=True, slots=True)
class Setting:
    """The fleet of a run. `profile` is what its engines are, `believed` what the routers take them for at first.

    `rate` is conversations a second; `routers` take the requests in turn.
    """

    profile: Profile
    rate: float
    believed: Profile
    decode: int = 8
    prefill: int = 0
    routers: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as its client saw it, and how it was decided."""

    session: str
    kind: str
    at: float
    record: DecisionRecord
    gaps: Sequence[float]

    @property
    def ttft(self) -> float:
        assert self.record.ttft_seconds is not None
        return self.record.ttft_seconds


@dataclass(frozen=True, slots=True)
class Ran:
    """A whole run: every request in the order of their ends, and each engine's share of time spent on prompts."""

    asked: Sequence[Asked]
    busy: Sequence[float]

    @property
    def mean_busy(self) -> float:
        return sum(self.busy) / len(self.busy)


def run(workload: Workload, setting: Setting, state: ModelState) -> Ran:
    """Play `workload` through routers and engines of `setting`, served as `state` says."""
    agenda, fabric = Agenda(), Fabric()
    routers: list[VirtualRouter] = []
    l2 = CacheTier(Medium.STORAGE, setting.profile.l2_blocks)
    engines = {}
    for pool, count in ((Pool.DECODE, setting.decode), (Pool.PREFILL, setting.prefill)):
        for number in range(count):
            name = f"{pool}-{number}"
            tiers = Tiers(CacheTier(Medium.CPU, setting.profile.l1_blocks), l2)
            engine = VirtualEngine(name, setting.profile, tiers, fabric, agenda, _publisher(name, agenda, routers))
            engines[name] = engine, pool
    believed, others = _believed(setting.believed), setting.routers > 1
    routers += [VirtualRouter(agenda, engines, state, believed, NETWORK_SECONDS, others) for _ in range(setting.routers)]
    clients = _Clients(agenda, routers)
    for conversation in workload.conversations:
        clients.begin(conversation, conversation.begins / setting.rate)
    agenda.run()
    begun = [conversation.begins / setting.rate for conversation in workload.conversations]
    since = begun[len(begun) // 5]
    until = begun[-1] if begun[-1] > since else agenda.now
    return Ran(clients.asked, [engine.effort.busy(since, until) for engine, _ in engines.values()])


def _believed(profile: Profile) -> Rates:
    return Rates(
        overhead_s=profile.step_seconds,
        running_s=profile.decode_seconds_per_sequence,
        prefill_tokens_per_s=profile.prefill_tokens_per_second,
        l1_tokens_per_s=profile.l1_tokens_per_second,
        l2_tokens_per_s=profile.l2_tokens_per_second,
    )


def _publisher(name: str, agenda: Agenda, routers: Sequence[VirtualRouter]) -> Callable[[bytes], None]:
    """What an engine says of its cache reaches every router, later."""

    def publish(payload: bytes) -> None:
        def deliver() -> None:
            for router in routers:
                router.heard(name, payload)

        agenda.after(EVENT_SECONDS, deliver)

    return publish


class _Clients:
    """Asks turn after turn, and keeps what came of each."""

    def __init__(self, agenda: Agenda, routers: Sequence[VirtualRouter]) -> None:
        self._agenda = agenda
        self._routers = routers
        self._turns = 0
        self.asked: list[Asked] = []

    def begin(self, conversation: Conversation, at: float) -> None:
        self._agenda.at(at, lambda: self._ask(conversation, 0))

    def _ask(self, conversation: Conversation, number: int) -> None:
        at, turn = self._agenda.now, conversation.turns[number]
        router = self._routers[self._turns % len(self._routers)]
        self._turns += 1

        def done(record: DecisionRecord, gaps: list[float]) -> None:
            self.asked.append(Asked(conversation.session, turn.kind, at, record, gaps))
            if number + 1 < len(conversation.turns):
                self._agenda.after(conversation.pauses[number], lambda: self._ask(conversation, number + 1))

        router.ask(turn, conversation.session, done)
