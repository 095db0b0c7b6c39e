"""Keeps one component running: starts it, watches it, starts it again after a crash, holds it down when told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum, auto

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.backoff import Backoff
from stack.local.readiness import STARTING_LOOK_SECONDS, follow
from stack.local.spec import Running, Spec, StartError

log = logging.getLogger(__name__)


class Intent(Enum):
    """What is wanted of a component."""

    RUN = auto()
    HOLD = auto()
    END = auto()


class Keeper:
    """One component and its one owner. `run` is its life; the other methods only say what is wanted.

    `blockers` names what must be ready first and is not; `on_ready` is called each time it begins to serve, with the
    seconds that took; `leaving` is waited for before it is stopped without having failed. `clock` is monotonic.
    """

    def __init__(
        self,
        spec: Spec,
        *,
        blockers: Callable[[Spec], tuple[str, ...]],
        on_ready: Callable[[Spec, float], None],
        leaving: Callable[[Spec], Awaitable[None]],
        clock: Callable[[], float],
        backoff: Backoff,
    ) -> None:
        self.spec = spec
        self.state = ComponentState.STARTING
        self.running: Running | None = None
        self._blockers, self._on_ready, self._leaving, self._clock, self._backoff = blockers, on_ready, leaving, clock, backoff
        self._detail = ""
        self._intent = Intent.RUN
        self._told = asyncio.Event()
        self._renewing = False
        self._ready_since: float | None = None

    @property
    def component(self) -> Component:
        """As `kvdeck status` shows it."""
        spec, running = self.spec, self.running
        detail = ": ".join(filter(None, [spec.note, self._detail]))
        pid = running.pid if running else None
        return Component(
            name=spec.name,
            kind=spec.kind,
            url=spec.url,
            pid=pid,
            state=self.state,
            detail=detail,
            failures=self._backoff.failures,
        )

    def hold(self) -> None:
        """Down until released."""
        self._want(Intent.HOLD)

    def release(self) -> None:
        """Up again, without the wait of earlier failures."""
        self._backoff.forget()
        self._want(Intent.RUN)

    def renew(self, spec: Spec | None = None) -> None:
        """Down and up again, if it runs: something it leans on is new, or it is to be another `spec` of its name."""
        self.spec = spec or self.spec
        if self.running is not None and self._intent is Intent.RUN:
            self._renewing = True
            self._show(ComponentState.STARTING, "begins anew")  # from this moment: whoever waits for it must not miss it
            self._told.set()

    def end(self) -> None:
        """Down for good: `run` returns."""
        self._want(Intent.END)

    async def run(self) -> None:
        """Until `end`. Whatever happens to the component, this goes on."""
        while self._intent is not Intent.END:
            self._told.clear()
            if self._intent is Intent.HOLD:
                self._show(ComponentState.HELD, f"kvdeck start {self.spec.name} releases it")
                await self._told.wait()
            elif await self._unblocked():
                await self._safely_one_life()
        self._show(ComponentState.STOPPED, "")

    def _want(self, intent: Intent) -> None:
        if self._intent is not Intent.END:
            self._intent = intent
            self._told.set()

    async def _unblocked(self) -> bool:
        while missing := self._blockers(self.spec):
            self._show(ComponentState.STARTING, f"waits for {', '.join(missing)}")
            if await self._told_within(STARTING_LOOK_SECONDS):
                return False
        return True

    async def _told_within(self, seconds: float) -> bool:
        """Waits; True when something new is wanted meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told.wait()
        return self._told.is_set()

    async def _safely_one_life(self) -> None:
        try:
            await self._one_life()
        except Exception as error:  # a fault of ours in one component must end neither it nor the others for good
            log.exception("keeper failed", extra={"component": self.spec.name})
            await self._failed(f"{type(error).__name__}: {error}")

    async def _one_life(self) -> None:
        began = self._clock()
        self._ready_since, self._renewing = None, False
        self._show(ComponentState.STARTING, "")
        try:
            self.running = await self.spec.launch.start(self.spec.name)
        except StartError as error:
            await self._failed(str(error))
            return
        log.info("component started", extra={"component": self.spec.name, "pid": self.running.pid})
        ended: str | None = "its keeper failed"
        try:
            ended = await self._watched(self.running, began)
            self._show(*self._ending(ended))
            if ended is None:
                await self._leaving(self.spec)
        finally:
            await self.running.stop()
            self.running = None
        log.info("component ended", extra={"component": self.spec.name, "how": ended or "as told"})
        if ended is not None:
            await self._failed(ended)

    def _ending(self, ended: str | None) -> tuple[ComponentState, str]:
        if ended is not None:
            return ComponentState.FAILED, ended
        ending = {Intent.RUN: ComponentState.STARTING, Intent.HOLD: ComponentState.HELD, Intent.END: ComponentState.STOPPED}
        return ending[self._intent], "stopping"

    async def _watched(self, running: Running, began: float) -> str | None:
        """How it failed; None when something else is wanted."""
        exited, told = asyncio.ensure_future(running.wait()), asyncio.ensure_future(self._told_to_end())
        following = follow(
            self.spec.probe,
            within=self.spec.ready_within,
            clock=self._clock,
            show=self._show,
            on_ready=lambda: self._served(began),
        )
        probed = asyncio.ensure_future(following)
        try:
            await asyncio.wait({told, exited, probed}, return_when=asyncio.FIRST_COMPLETED)
            if told.done():
                return None
            return exited.result() if exited.done() else probed.result()
        finally:
            for task in (told, exited, probed):
                task.cancel()
            await asyncio.gather(told, exited, probed, return_exceptions=True)

    async def _told_to_end(self) -> None:
        while self._intent is Intent.RUN and not self._renewing:
            self._told.clear()
            await self._told.wait()

    def _served(self, began: float) -> None:
        self._ready_since = self._clock()
        self._on_ready(self.spec, self._ready_since - began)

    async def _failed(self, how: str) -> None:
        """Shows the failure and waits before the next attempt, unless something else is wanted."""
        up = 0.0 if self._ready_since is None else self._clock() - self._ready_since
        wait = self._backoff.failed(up)
        see = f"; see {self.spec.log}" if self.spec.log else ""
        self._show(ComponentState.FAILED, f"{how}, restart {self._backoff.failures} in {wait:.0f} s{see}")
        log.warning("component failed", extra={"component": self.spec.name, "how": how, "restart_in_seconds": wait})
        await self._told_within(wait)

    def _show(self, state: ComponentState, detail: str) -> None:
        self.state, self._detail = state, detail
