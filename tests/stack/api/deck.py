"""A whole control over a fake fleet: fake clock, fake machinery, routers that do as they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import msgspec

from stack.adapters.audit_store import SqliteStore
from stack.adapters.experiment_store import SqliteExperiments
from stack.adapters.report_store import SqliteReports
from stack.api.cache_board import CacheBoard
from stack.api.token_telemetry import Tokens
from stack.control.audit import AuditRecord, Outcome
from stack.control.cache_directory import CacheDirectory
from stack.control.counterpart import Counterpart
from stack.control.decision import DecisionRecord
from stack.control.flights import recalled
from stack.control.link import EngineReport, RouterConfig, RouterReport
from stack.control.machinery import UNKNOWN, EngineProcess, Machinery, Phase, Workload
from stack.control.mode import LIVE, Stance
from stack.control.opening import opening
from stack.control.ports import CacheHost, DecisionLog, PoolScaler, QuotaBackend, ScalerError, TierBackend
from stack.control.state import Desired
from stack.model.target import Target, TargetFileError
from stack.model.tier import Pool
from stack.wiring.assembled import Control
from stack.wiring.control_alerts import NO_WATCHERS, Watchers
from stack.wiring.control_parts import assemble
from stack.wiring.control_tiers import Backends
from tests.stack.control.samples import STRATEGIES, desired


@dataclass
class Clock:
    """Seconds that pass when the test says so; the wall clock runs along."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> float:
        return 1_700_000_000.0 + self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Fleet:
    """The machinery: engines by name, in the phase the test puts them in. `broken` makes every call fail."""

    engines: dict[str, Phase] = field(default_factory=dict)
    model: str = "smollm2"
    broken: str | None = None
    refuses_to_add: str | None = None
    says: Machinery = UNKNOWN
    removed: list[str] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    unlistable: str | None = None
    _told: list[Target] | None = None

    async def look(self) -> Machinery:
        self._check(self.broken)
        processes = [EngineProcess(name, self.model, _pool(name), phase) for name, phase in self.engines.items()]
        return replace(self.says, processes=tuple(processes), workloads=tuple(self.workloads))

    async def grow(self, model: str, pool: Pool, by: int) -> tuple[str, ...]:
        self._check(self.broken or self.refuses_to_add)
        name = next(name for number in range(99) if (name := f"{pool}-{number}") not in self.engines)
        self.engines[name] = Phase.STARTING
        return (name,)

    async def remove(self, name: str) -> None:
        self._check(self.broken)
        del self.engines[name]
        self.removed.append(name)

    def targets(self) -> Sequence[Target] | None:
        """The target file: engines that have come up, told when they changed."""
        if self.unlistable is not None:
            raise TargetFileError(self.unlistable)
        up = [name for name, phase in self.engines.items() if phase is not Phase.STARTING]
        targets = [Target(replica=n, url=f"http://{n}", pool=_pool(n), model=self.model, model_root="/m") for n in sorted(up)]
        changed, self._told = targets != self._told, targets
        return targets if changed else None

    def _check(self, fault: str | None) -> None:
        if fault is not None:
            raise ScalerError(fault)


@dataclass
class Router:
    """A router that applies what it fetches; `in_flight` are its requests, engines it knows are ready.

    Its life's next decision is number `decided`.
    """

    id: str
    http: httpx.AsyncClient
    fleet: Fleet
    in_flight: dict[str, int] = field(default_factory=dict)
    config: RouterConfig | None = None
    life: str = field(default_factory=lambda: token_hex(8))
    decided: int = 0
    sent: RouterReport | None = None

    async def fetch(self, wait: float = 0) -> RouterConfig | None:
        version = -1 if self.config is None else self.config.version
        answer = await self.http.get(f"/v1/routers/{self.id}/config", params={"version": version, "wait": wait})
        if answer.status_code == 204:
            return None
        assert answer.status_code == 200, answer.text
        self.config = msgspec.json.decode(answer.content, type=RouterConfig)
        return self.config

    async def report(self, *decisions: DecisionRecord, dropped: int = 0) -> None:
        up = [name for name, phase in self.fleet.engines.items() if phase is Phase.RUNNING]
        self.decided += dropped
        self.sent = RouterReport(
            id=self.id,
            version=-1 if self.config is None else self.config.version,
            generation=0 if self.config is None else self.config.generation,
            engines=tuple(
                EngineReport(name=n, health="ready", in_flight=self.in_flight.get(n, 0), health_age_seconds=0.5) for n in up
            ),
            decisions=decisions,
            dropped=dropped,
            experiments=() if self.config is None else tuple(trial.id for trial in self.config.experiments.values()),
            life=self.life,
            first=self.decided,
        )
        self.decided += len(decisions)
        await self.again()

    async def again(self) -> None:
        """Send the last report: once more, where it was sent before."""
        answer = await self.http.post(f"/v1/routers/{self.id}/report", content=msgspec.json.encode(self.sent))
        assert answer.status_code == 204, answer.text

    async def follow(self) -> None:
        await self.fetch()
        await self.report()


@dataclass
class Deck:
    """One life of control. `http` speaks to its API."""

    control: Control
    http: httpx.AsyncClient
    store: SqliteStore
    fleet: Fleet
    clock: Clock

    def router(self, name: str = "router-0") -> Router:
        return Router(name, self.http, self.fleet)

    async def state(self) -> Any:
        answer = await self.http.get("/v1/state")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def patch(self, patch: object, generation: object = None, **params: str) -> httpx.Response:
        based_on = self.control.board.generation if generation is None else generation
        return await self.http.patch("/v1/state", json=patch, params=params, headers={"If-Match": str(based_on)})

    async def rollback(self, to: object, generation: object = None, **params: str) -> httpx.Response:
        based_on = self.control.board.generation if generation is None else generation
        return await self.http.post("/v1/rollback", json={"generation": to}, params=params, headers={"If-Match": str(based_on)})

    async def tick(self, seconds: float = 0.5) -> None:
        self.clock.advance(seconds)
        await self.control.reconciler.tick()

    async def outcomes(self) -> list[str]:
        """The audit log's outcomes, oldest first."""
        answer = await self.http.get("/v1/audit")
        return [record["outcome"] for record in reversed(answer.json()["records"])]


def running(*names: str) -> Fleet:
    return Fleet(dict.fromkeys(names, Phase.RUNNING))


@asynccontextmanager
async def deck(
    folder: Path,
    fleet: Fleet | None = None,
    configured: Desired | None = None,
    clock: Clock | None = None,
    tokens: Tokens | None = None,
    known: tuple[str, ...] = STRATEGIES,
    cache: CacheBoard | None = None,
    files: DecisionLog | None = None,
    stance: Stance = LIVE,
    experiments: bool = False,
    declared: Callable[[], Desired] | None = None,
    tiers: TierBackend | None = None,
    counterpart: Counterpart | None = None,
    scaler: PoolScaler | None = None,
    targets: Callable[[], Sequence[Target] | None] | None = None,
    quotas: QuotaBackend | None = None,
    host: CacheHost | None = None,
    watching: Watchers = NO_WATCHERS,
) -> AsyncIterator[Deck]:
    """`scaler` and `targets` are the fleet's own where they are not given."""
    fleet = running("prefill-0", "decode-0", "decode-1") if fleet is None else fleet
    clock = clock or Clock()
    store = SqliteStore(folder)
    begin = opening(await store.load(), configured or desired(), known)
    flights = {} if begin.new else recalled(await store.generations(100), begin.kept.desired)
    if begin.new:
        await store.keep(begin.kept, _started(begin.kept.generation, clock))
    control = assemble(
        begin=begin,
        store=store,
        reports=SqliteReports(store.file),
        experiments=SqliteExperiments(store.file),
        scaler=scaler or fleet,
        known=known,
        flights=flights,
        targets=targets or fleet.targets,
        cache=cache or CacheBoard(CacheDirectory(1, has_store=True), clock),
        tokens=tokens,
        clock=clock,
        wall=clock.wall,
        ack_seconds=0.05,
        files=files,
        stance=stance,
        allow_experiments=experiments,
        declared=declared,
        backends=Backends(store=tiers, quotas=quotas, host=host),
        counterpart=counterpart,
        watching=watching,
    )
    await control.returning.take_up()
    transport = httpx.ASGITransport(control.app, client=("127.0.0.1", 5), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8010") as http:
        await control.reconciler.tick()
        yield Deck(control, http, store, fleet, clock)
    store.close()


def _started(generation: int, clock: Clock) -> AuditRecord:
    return AuditRecord(at=clock.wall(), actor="control", outcome=Outcome.STARTED, generation=generation)


def _pool(name: str) -> Pool:
    return Pool(name.rpartition("-")[0])
