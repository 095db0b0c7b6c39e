"""The one process that starts and stops components, and answers who runs."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer, SupervisorRequest
from stack.control.room import Room
from stack.local.backoff import Backoff
from stack.local.cache_making import CacheMaker, resized
from stack.local.engine_making import EngineMaker, RefusedError, asked_pool
from stack.local.engine_room import Space, check_room, rooms
from stack.local.keeper import Keeper
from stack.local.seats import Seats
from stack.local.spec import Running, Spec, Stage
from stack.local.target_list import TargetList
from stack.local.timings import Timings
from stack.model.tier import Pool

log = logging.getLogger(__name__)

NAME = "supervisor"
NOTICE_SECONDS = 1.5  # routers look at the target file twice a second


class Supervisor:
    """Components by name, each with its keeper. `handle` answers requests at once; what they ask for goes on after.

    Without a `space` engines cost nothing. `cache` makes the cache server's L1 another size.
    """

    def __init__(
        self,
        *,
        engine: EngineMaker,
        space: Space | None = None,
        cache: CacheMaker | None = None,
        seats: Seats,
        targets: TargetList,
        timings: Timings,
        clock: Callable[[], float],
        backoff: Callable[[], Backoff] = Backoff,
        notice: float = NOTICE_SECONDS,
    ) -> None:
        self._engine, self._space, self._seats, self._targets, self._timings = engine, space, seats, targets, timings
        self._clock, self._backoff, self._notice = clock, backoff, notice
        self._cache = cache
        self._keepers: dict[str, Keeper] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closing = asyncio.Event()

    async def run(self, specs: Sequence[Spec], pools: Sequence[Pool]) -> None:
        """Runs `specs` and one engine for each of `pools` until told to shut down, then ends everything in order."""
        self._targets.write()
        for spec in specs:
            self._enlist(spec)
        for pool in pools:
            self._add(pool)
        await self._closing.wait()
        log.info("shutting down")
        for stage in sorted(Stage, reverse=True):
            await self._end(stage)
        self._targets.clear()

    def close(self) -> None:
        """Begin to shut down."""
        self._closing.set()

    def running(self) -> list[Running]:
        """Everything that lives just now."""
        return [keeper.running for keeper in self._keepers.values() if keeper.running is not None]

    def pid(self, name: str) -> int | None:
        """The process of component `name`, while it has one."""
        keeper = self._keepers.get(name)
        return keeper.component.pid if keeper else None

    @property
    def components(self) -> tuple[Component, ...]:
        """Everything, the supervisor first."""
        detail = "shutting down" if self._closing.is_set() else ""
        own = Component(name=NAME, kind=NAME, url=None, pid=os.getpid(), state=ComponentState.READY, detail=detail)
        return (own, *(keeper.component for keeper in self._keepers.values()))

    def handle(self, request: SupervisorRequest) -> SupervisorAnswer:
        """Does what is asked, or begins to. See SupervisorRequest."""
        operations: dict[str, Callable[[SupervisorRequest], str | None]] = {
            "status": lambda _: None,
            "stop": lambda asked: self._named(asked).hold(),
            "start": lambda asked: self._named(asked).release(),
            "add": lambda asked: self._add(check_room(self._rooms(), asked_pool(asked))),
            "remove": self._remove,
            "resize": self._resize,
            "shutdown": lambda _: self.close(),
        }
        try:
            operation = operations.get(request.op)
            if operation is None:
                raise RefusedError(f"unknown request {request.op!r}")
            if request.op not in ("status", "shutdown"):
                self._refuse_when_closing()
                log.info("asked", extra={"op": request.op, "component": request.name, "pool": request.pool})
            name, resizes = operation(request), self._cache is not None
            return SupervisorAnswer(name=name, components=self.components, rooms=self._rooms(), resizes_l1=resizes)
        except RefusedError as error:
            return SupervisorAnswer(error=str(error), components=self.components)

    def _refuse_when_closing(self) -> None:
        if self._closing.is_set():
            raise RefusedError("the stack is shutting down")

    def _named(self, request: SupervisorRequest) -> Keeper:
        if request.name == NAME:
            raise RefusedError("the supervisor holds all others: kvdeck down ends everything")
        keeper = self._keepers.get(request.name or "")
        if keeper is None:
            raise RefusedError(f"no component {request.name!r}; there are: {', '.join(self._keepers)}")
        return keeper

    def _rooms(self) -> dict[str, Room]:
        return {} if self._space is None else rooms(self._space, [(k.spec, k.state) for k in self._keepers.values()])

    def _add(self, pool: Pool) -> str:
        seat = self._seats.take(pool)
        try:
            spec = self._engine(seat)
        except RefusedError:
            self._seats.leave(seat.name)
            raise
        self._enlist(spec)
        return seat.name

    def _remove(self, request: SupervisorRequest) -> None:
        keeper = self._named(request)
        if keeper.spec.stage is not Stage.ENGINE or keeper.spec.target is None:
            raise RefusedError(f"{keeper.spec.name} is no engine: kvdeck stop holds it down")
        self._targets.drop(keeper.spec.name)
        keeper.end()

    def _resize(self, request: SupervisorRequest) -> None:
        spec = resized(self._cache, request.amount)
        if spec is not None:
            self._keepers[spec.name].renew(spec)

    def _enlist(self, spec: Spec) -> None:
        keeper = Keeper(
            spec, blockers=self._blockers, on_ready=self._became_ready, leaving=self._leaves,
            clock=self._clock, backoff=self._backoff(),
        )  # fmt: skip
        self._keepers[spec.name] = keeper
        task = asyncio.create_task(keeper.run(), name=spec.name)
        self._tasks[spec.name] = task
        task.add_done_callback(lambda _: self._gone(spec.name))

    def _gone(self, name: str) -> None:
        task = self._tasks.pop(name)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("keeper failed", extra={"component": name}, exc_info=error)
        if not self._closing.is_set():
            self._keepers.pop(name)
            self._seats.leave(name)

    def _blockers(self, spec: Spec) -> tuple[str, ...]:
        return tuple(name for name in spec.after if not self._is_ready(name))

    def _is_ready(self, name: str) -> bool:
        keeper = self._keepers.get(name)
        return keeper is not None and keeper.state is ComponentState.READY

    def _became_ready(self, spec: Spec, seconds: float) -> None:
        log.info("component ready", extra={"component": spec.name, "seconds": round(seconds, 1)})
        self._timings.record(spec.name, spec.kind, seconds)
        if spec.target is not None:
            self._targets.put(spec.target)
        for keeper in self._keepers.values():
            if spec.name in keeper.spec.renewed_by:
                keeper.renew()

    async def _leaves(self, spec: Spec) -> None:
        """Routers are told of an engine that is to be stopped, unless it was drained before, or all ends: they go first then."""
        if spec.target is None or not self._targets.lists(spec.name) or self._closing.is_set():
            return
        self._targets.put(msgspec.structs.replace(spec.target, leaving=True))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._notice):
                await self._closing.wait()

    async def _end(self, stage: Stage) -> None:
        names = [name for name, keeper in self._keepers.items() if keeper.spec.stage is stage]
        for name in names:
            self._keepers[name].end()
        await asyncio.gather(*(task for name, task in list(self._tasks.items()) if name in names), return_exceptions=True)
