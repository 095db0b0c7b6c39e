"""Keeps the fleet snapshot fresh: targets, probes, and what requests find out in passing."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from stack.adapters.probe import Pulse
from stack.fleet.engine import Health, Standing
from stack.fleet.machine import (
    Answered,
    ConnectFailed,
    DrainingChanged,
    Ejected,
    Event,
    HealthAged,
    ProbeFailed,
    ProbeSucceeded,
    RequestFailed,
    TargetsChanged,
    TrialDue,
    step,
)
from stack.fleet.snapshot import Fleet, lost
from stack.model.target import Target
from stack.router.in_flight import InFlight
from stack.router.settings import RouterSettings

log = logging.getLogger(__name__)

Probe = Callable[[str, float], Awaitable[Pulse]]
Listener = Callable[[Fleet, Fleet], None]


class FleetKeeper:
    """Owns the current `fleet`. `listeners` are told of every change, with the fleet before and after it.

    `probed_at` tells when each engine's last probe ended, on `clock`.
    """

    def __init__(
        self, settings: RouterSettings, in_flight: InFlight, probe: Probe, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._in_flight = in_flight
        self._probe = probe
        self._clock = clock
        self._probing: dict[str, asyncio.Task[None]] = {}
        self._losing: dict[str, asyncio.TimerHandle] = {}
        self._trials: dict[str, asyncio.TimerHandle] = {}
        self.listeners: list[Listener] = []
        self.fleet = Fleet.of(())
        self.probed_at: dict[str, float] = {}
        self._looked_at: dict[str, float] = {}
        self._drained: frozenset[str] = frozenset()
        self._leaving: frozenset[str] = frozenset()

    def apply(self, event: Event) -> None:
        """Step the fleet, and tell the listeners when that changed it."""
        before = self.fleet
        self.fleet = step(before, event)
        if self.fleet is before:
            return
        self._note(before, self.fleet)
        for listener in self.listeners:
            listener(before, self.fleet)

    def retarget(self, targets: list[Target]) -> None:
        """The target file says that these engines exist: probe the new ones, leave the gone ones alone."""
        before = self.fleet
        self.apply(TargetsChanged(tuple([replace(target, leaving=False, ready=True) for target in targets])))
        self._leaving = frozenset(target.replica for target in targets if target.leaving or not target.ready)
        self.apply(DrainingChanged(self._drained | self._leaving))
        for name in before.members.keys() - self.fleet.members.keys():
            self._probing.pop(name).cancel()
            self.probed_at.pop(name, None)
        for name in self.fleet.members.keys() - self._probing.keys():
            self._probing[name] = asyncio.create_task(self._probe_for_ever(name), name=f"probe {name}")

    def health_age(self, name: str) -> float | None:
        """Seconds since the engine was last looked at; None when it never was."""
        at = self.probed_at.get(name)
        return None if at is None else self._clock() - at

    def drain(self, names: frozenset[str]) -> None:
        """These engines take no new requests from now on; all others may."""
        self._drained = names
        self.apply(DrainingChanged(self._drained | self._leaving))

    def connect_failed(self, name: str, detail: str) -> None:
        """A request could not be handed to the engine, or its connection broke."""
        self.apply(ConnectFailed(name, detail))
        self._judge(name)

    def request_failed(self, name: str, detail: str) -> None:
        """The engine answered a request with a failure of its own."""
        self.apply(RequestFailed(name, detail))
        self._judge(name)

    def eject(self, name: str, cause: str) -> None:
        """No new requests for the engine for a while, longer each time in a row; then it is tried with one."""
        member = self.fleet.members.get(name)
        if member is None or member.engine.standing is Standing.EJECTED:
            return
        seconds = min(max(self._settings.eject_s, 2 * member.ejected_s), self._settings.eject_max_s)
        self.apply(Ejected(name, seconds, cause))
        if self.fleet.members[name].engine.standing is not Standing.EJECTED:  # half of its pool is out already
            return
        log.warning("engine ejected", extra={"engine": name, "seconds": seconds, "cause": cause})
        if name in self._trials:
            self._trials.pop(name).cancel()
        self._trials[name] = asyncio.get_running_loop().call_later(seconds, self._try, name)

    def answered(self, name: str, now: float | None = None) -> None:
        """The engine answered a request, with whatever status. `now` is on the clock, for those who know."""
        self._in_flight.heard(name, now)
        member = self.fleet.members.get(name)
        if member is not None and not member.untroubled:
            self.apply(Answered(name))

    def heard(self, name: str) -> None:
        """The engine went on with an answer."""
        self._in_flight.heard(name)

    async def run(self) -> None:
        """Let what is known of health grow old, until cancelled."""
        while True:
            self.age()
            await asyncio.sleep(self._settings.probe_interval_s)

    async def close(self) -> None:
        """Stop probing."""
        for handle in (*self._losing.values(), *self._trials.values()):
            handle.cancel()
        probing = tuple(self._probing.values())
        self._probing.clear()
        for task in probing:
            task.cancel()
        await asyncio.gather(*probing, return_exceptions=True)

    async def _probe_for_ever(self, name: str) -> None:
        while (member := self.fleet.members.get(name)) is not None:
            asked = self._clock()
            pulse = await self._probe(member.engine.target.url, self._settings.probe_deadline_s)
            self.probed_at[name] = self._clock()
            if pulse is Pulse.WELL:
                self.apply(ProbeSucceeded(name))
            elif pulse is not Pulse.SILENT or self._in_flight.last_heard(name) < asked:
                self.apply(ProbeFailed(name, pulse.value))
            # else: too busy for the probe, and all the while it gave tokens: that it works is seen already
            await asyncio.sleep(self._settings.probe_interval_s)

    def age(self) -> None:
        """What nobody has looked at twice in a row, and not for long, is unknown: no last answer counts for ever."""
        now = self._clock()
        for name, member in tuple(self.fleet.members.items()):
            at = self.probed_at.get(name)
            age = now - at if at is not None and at == self._looked_at.get(name) else None
            if age is not None and age > self._settings.probe_stale_s and member.engine.health is not Health.UNKNOWN:
                self.apply(HealthAged(name, f"not looked at for {age:.0f} s"))
        self._looked_at = dict(self.probed_at)

    def _judge(self, name: str) -> None:
        """Eject an engine that failed once too often in a row, or on its trial."""
        member = self.fleet.members.get(name)
        if member is not None and member.failures >= self._settings.eject_after:
            self.eject(name, f"after {member.failures} failures: {member.detail}")

    def _try(self, name: str) -> None:
        del self._trials[name]
        self.apply(TrialDue(name))

    def _note(self, before: Fleet, after: Fleet) -> None:
        for name in lost(before, after):
            log.warning("engine lost", extra={"engine": name, "in_flight": self._in_flight.counts.get(name, 0)})
            if name in self._losing:
                self._losing.pop(name).cancel()
            loop = asyncio.get_running_loop()
            self._losing[name] = loop.call_later(self._settings.lost_after_s, self._give_up, name)
        for name, member in after.members.items():
            if member.engine.health is Health.READY and name in self._losing:
                self._losing.pop(name).cancel()

    def _give_up(self, name: str) -> None:
        """The engine has been gone for so long that what still waits on it waits in vain."""
        self._losing.pop(name, None)
        self._in_flight.abandon(name)
