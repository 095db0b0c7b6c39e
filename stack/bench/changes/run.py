"""A run: requests at their pace, changes one after another, kills now and then, and the account of it all."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile

import httpx

from stack.api.client import ControlClient
from stack.bench.changes.asker import Asker, Passages
from stack.bench.changes.changer import Changer, patiently
from stack.bench.changes.documents import Documents
from stack.bench.changes.exchange import Exchange
from stack.bench.changes.followers import AuditBook, Decisions
from stack.bench.changes.killer import Killer, Machinery
from stack.bench.changes.proposals import Proposals
from stack.bench.changes.report import Changes, End, Kills, Report, Requests, Span
from stack.bench.changes.verdict import mixed, unsound
from stack.control.audit import Outcome
from stack.traffic.load import Load, poisson

IN_FLIGHT_MAX = 4_000  # what a machine that stands still for a minute owes; requests that hang fail before that
_ANSWER_S = 60.0
_PAGE_EVERY = 100  # changes; with the steps they lead to, far less than a page of the audit log
_SETTLES_S = 180.0  # a prefill engine that leaves settles for half a minute, one after the other
_LAST_RECORDS_S = 10.0
_LOOK_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`rate` is requests a second, `pause` seconds between changes."""

    changes: int
    kills: int
    rate: float
    pause: float
    seed: int


class Run:
    """One model of a running stack, `router` and `control` at their addresses. `tell` hears how it goes."""

    def __init__(
        self,
        plan: Plan,
        model: str,
        http: httpx.AsyncClient,
        router: str,
        control: ControlClient,
        machinery: Machinery,
        strategies: tuple[str, ...],
        tell: Callable[[str], None],
        emulated: bool,
    ) -> None:
        self._plan, self._model, self._control, self._tell, self._emulated = plan, model, control, tell, emulated
        clock, seed = time.monotonic, plan.seed
        self._exchange = Exchange(router, _ANSWER_S)
        self._asker = Asker(self._exchange, model, clock)
        self._load = Load(self._asker, clock, asyncio.sleep, lambda outcome: None, IN_FLIGHT_MAX)
        self._decisions = Decisions(http, control.url, time.time())
        self._audit = AuditBook(control)
        proposals = Proposals(random.Random(seed), strategies)
        self._changer = Changer(control, model, proposals, random.Random(seed + 4), self._changed)
        self._killer = Killer(control, machinery, lambda: self._changer.busy, random.Random(seed + 1), clock)

    async def run(self) -> Report:
        """Everything; the state that it leaves is some random one. Raises ChangesError, ControlError."""
        before, began = await patiently(self._control.state), time.monotonic()
        documents = Documents(before.generation, before.desired)
        await self._audit.read()
        following = asyncio.create_task(self._decisions.run(), name="decisions")
        try:
            await self._all()
            seconds = time.monotonic() - began
            await self._last_records()
        except ExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            await self._exchange.close()
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        end = await self._end(documents)
        return self._report(documents, seconds, end)

    async def _all(self) -> None:
        """The load lasts until the last change and the last kill."""
        plan, over = self._plan, asyncio.Event()
        passages = Passages(random.Random(plan.seed + 2))
        arrivals = poisson(passages, plan.rate, None, random.Random(plan.seed + 3))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._load.run(takewhile(lambda _: not over.is_set(), arrivals)), name="load")
            killing = tasks.create_task(self._killer.run(plan.kills), name="kills")
            await self._changer.run(plan.changes, plan.pause, lambda: not killing.done())
            await killing
            over.set()

    async def _changed(self, number: int) -> None:
        if number % _PAGE_EVERY == 0:
            await self._audit.read()
            self._tell(f"{number} changes, {self._killer.wounds.kills} kills, {self._asker.asked} requests")

    async def _last_records(self) -> None:
        """Routers bring what they have about once a second."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_RECORDS_S):
                await self._decisions.until(self._asker.asked)

    async def _end(self, documents: Documents) -> End:
        self._tell("waiting until all is as desired")
        began = time.monotonic()
        while differs := [f"{one.field}: {one.reason}" for one in (await patiently(self._control.state)).drift]:
            if time.monotonic() - began > _SETTLES_S:
                break
            await asyncio.sleep(_LOOK_S)
        took, state = time.monotonic() - began, await patiently(self._control.state)
        await self._audit.read()
        documents.add(self._audit.records.values())
        explained = documents.last == state.generation and documents.explain(state.desired)
        return End(generation=state.generation, explained=explained, seconds=took, differs=differs)

    def _report(self, documents: Documents, seconds: float, end: End) -> Report:
        told, said, wounds = self._decisions.told, self._asker.said, self._killer.wounds
        return Report(
            seed=self._plan.seed,
            seconds=seconds,
            emulated=self._emulated,
            requests=Requests(
                sent=self._asker.asked,
                wanted_per_second=self._plan.rate,
                per_second=self._asker.asked / seconds,
                failed=self._asker.failed,
                skipped=self._load.skipped,
                longest_seconds=self._asker.longest_seconds,
                records=self._decisions.count,
                mixed=mixed(self._model, told, said, documents),
                generations=len({one.generation for one in told}),
            ),
            changes=self._changes(documents),
            end=end,
            kills=Kills(
                kills=wounds.kills,
                struck=wounds.struck,
                answering=Span.of(wounds.answering),
                followed=Span.of(wounds.followed),
            )
            if wounds.kills
            else None,
        )

    def _changes(self, documents: Documents) -> Changes:
        journal, records = self._changer.journal, tuple(self._audit.records.values())
        steps = Counter("starts" in effect for one in records if one.outcome is Outcome.STEP for effect in one.effects)
        missed = [f"{self._audit.missed} lines of the audit log were not seen"] if self._audit.missed else []
        return Changes(
            applied=len(journal.answered),
            back=sum(comment in journal.answered for comment in journal.back),
            refused=journal.refused,
            stale=journal.stale,
            unanswered=journal.unanswered,
            pending=journal.pending,
            seconds=Span.of(journal.seconds),
            started=steps[True],
            ended=steps[False],
            unsound=[*unsound(journal, records, documents), *missed],
        )
