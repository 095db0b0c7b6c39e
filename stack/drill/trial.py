"""One drill from the break to the last alert's end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from stack.drill.drill import Drill, DrillError, Scene
from stack.drill.quick import Patience

LOOK_SECONDS = 1.0
# A scrape, an evaluation of the recording rule, one of the alert, and the way to Alertmanager, twice over.
NOTICE_SECONDS = 40.0
# A real engine starts within 20 to 90 s, several times that on a slow and busy machine.
MENDED_SECONDS = 600.0


class Seen(NamedTuple):
    """When an alert was first seen, in seconds from the break, and what it said."""

    at: float
    said: str


class Watch(Protocol):
    """What is seen of the stack."""

    async def firing(self) -> Mapping[str, str]:
        """The alerts at Alertmanager: what each says, by its name."""
        ...

    async def away(self) -> tuple[str, ...]:
        """What of the stack does not serve as it did before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a drill. `arrived` and `cleared_seconds` count from the break and from its mending; None: not in time.

    `unexpected` alerts are told with what they said. `fault`: it could not be carried out.
    """

    drill: str
    title: str
    required: tuple[str, ...]
    arrived: Mapping[str, float] = field(default_factory=dict)
    within_seconds: float = 0.0
    tolerated: tuple[str, ...] = ()
    unexpected: Mapping[str, str] = field(default_factory=dict)
    cleared_seconds: float | None = None
    lingering: tuple[str, ...] = ()
    fault: str | None = None

    @property
    def passed(self) -> bool:
        """All that is required arrived, nothing that is not tolerated, and everything cleared."""
        sound = self.fault is None and not self.unexpected and self.cleared_seconds is not None
        return sound and all(alert in self.arrived for alert in self.required)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Plays drills. `say` is told what goes on, `clock` counts seconds."""

    watch: Watch
    patience: Patience
    say: Callable[[str], None]
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    async def play(self, drill: Drill, scene: Scene) -> Outcome:
        """Breaks, watches, mends, watches. What cannot be carried out is the outcome's fault; the mending is done anyway."""
        blank = Outcome(drill=drill.name, title=drill.title, required=drill.required)
        try:
            return await self._play(drill, scene)
        except DrillError as error:
            return Outcome(drill=blank.drill, title=blank.title, required=blank.required, fault=str(error))

    async def _play(self, drill: Drill, scene: Scene) -> Outcome:
        await self._quiet()
        within = drill.within + NOTICE_SECONDS + max(map(self.patience.waits, drill.required))
        seen: dict[str, Seen] = {}
        self.say(f"{drill.name}: {drill.title.lower()}")
        began = self.clock()
        async with drill.broken(scene):
            await self._arrive(drill, seen, began, within)
            self.say(f"{drill.name}: mending")
        mended = self.clock()
        lingering = await self._clear(drill, seen, began)
        extra = [alert for alert in sorted(seen) if alert not in drill.required]
        return Outcome(
            drill=drill.name,
            title=drill.title,
            required=drill.required,
            arrived={alert: seen[alert].at for alert in drill.required if alert in seen},
            within_seconds=within,
            tolerated=tuple(alert for alert in extra if alert in drill.tolerated),
            unexpected={alert: seen[alert].said for alert in extra if alert not in drill.tolerated},
            cleared_seconds=None if lingering else self.clock() - mended,
            lingering=lingering,
        )

    async def _quiet(self) -> None:
        """What the rules before the drill had raised has its time to end."""
        deadline = self.clock() + NOTICE_SECONDS
        while firing := await self.watch.firing():
            told = f"{', '.join(sorted(firing))} at Alertmanager before anything was broken"
            if self.clock() > deadline:
                raise DrillError(told)
            self.say(f"waiting: {told}")
            await self.sleep(LOOK_SECONDS)

    async def _arrive(self, drill: Drill, seen: dict[str, Seen], began: float, within: float) -> None:
        """Until all that is required arrived, or is late."""
        while True:
            await self._look(seen, began)
            missing = [alert for alert in drill.required if alert not in seen]
            passed = self.clock() - began
            if not missing or passed > within:
                return
            self.say(f"{drill.name}: {passed:.0f} s, waiting for {', '.join(missing)} (at most {within:.0f} s)")
            await self.sleep(LOOK_SECONDS)

    async def _clear(self, drill: Drill, seen: dict[str, Seen], began: float) -> tuple[str, ...]:
        """What fires, or does not serve, after everything had its time to end."""
        mended = self.clock()
        while away := await self.watch.away():
            await self._look(seen, began)
            if self.clock() - mended > MENDED_SECONDS:
                return away
            self.say(f"{drill.name}: {self.clock() - mended:.0f} s, {', '.join(away)} not back yet")
            await self.sleep(LOOK_SECONDS)
        whole = self.clock()
        while firing := await self._look(seen, began):
            passed = self.clock() - whole
            longest = NOTICE_SECONDS + max(map(self.patience.remembers, seen), default=0.0)
            if passed > longest:
                return tuple(sorted(firing))
            self.say(f"{drill.name}: {passed:.0f} s, {', '.join(sorted(firing))} still firing (at most {longest:.0f} s)")
            await self.sleep(LOOK_SECONDS)
        return ()

    async def _look(self, seen: dict[str, Seen], began: float) -> frozenset[str]:
        firing = await self.watch.firing()
        for alert, said in firing.items():
            seen.setdefault(alert, Seen(self.clock() - began, said))
        return frozenset(firing)
