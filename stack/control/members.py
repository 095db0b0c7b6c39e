"""The engines of the fleet, put together from the target file, the machinery and the routers' reports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from stack.cache.followed import Knowledge
from stack.control.link import EngineReport, RouterReport
from stack.control.machinery import EngineProcess, Phase
from stack.fleet.engine import Health, State
from stack.model.target import Target
from stack.model.tier import Pool

_GONE = frozenset({Phase.DOWN, Phase.ENDING})


@dataclass(frozen=True, slots=True)
class Member:
    """One engine as control knows it. `in_flight` is None when no live router knows; `listed` is in the target file.

    `health_age_seconds` is how long ago a router last looked, the one that looked least lately; None when none did.
    `placement` is the least that a router knows of where KV lies at it (EngineReport), None when none tells.
    `turn` is the machinery's (stack.control.machinery.EngineProcess), `ending` that it was told to end, by whomever.
    """

    name: str
    model: str
    pool: Pool
    url: str | None
    state: State
    health: Health
    in_flight: int | None = None
    health_age_seconds: float | None = None
    listed: bool = True
    starting: bool = False
    emulated: bool = False
    detail: str = ""
    placement: str | None = None
    turn: int = 0
    ending: bool = False

    @property
    def ordinal(self) -> tuple[int, str]:
        """The number at the end of the name, so that decode-10 comes after decode-9."""
        number = re.search(r"\d+$", self.name)
        return (int(number.group()) if number else -1, self.name)


def observe(
    targets: Sequence[Target], processes: Sequence[EngineProcess], reports: Sequence[RouterReport], draining: Collection[str]
) -> tuple[Member, ...]:
    """Every engine that anyone lists or runs, ordered by pool and number. `reports` are those of live routers only."""
    running = {process.name: process for process in processes}
    said: defaultdict[str, list[EngineReport]] = defaultdict(list)
    for engine in (engine for report in reports for engine in report.engines):
        said[engine.name].append(engine)
    listed = [_listed(target, running.get(target.replica), said[target.replica], draining) for target in targets]
    names = {target.replica for target in targets}
    unlisted = [_unlisted(process, draining) for process in processes if process.name not in names]
    return tuple(sorted([*listed, *unlisted], key=lambda member: (member.model, member.pool, member.ordinal)))


def _listed(target: Target, process: EngineProcess | None, seen: list[EngineReport], draining: Collection[str]) -> Member:
    health = _health(seen)
    phase = Phase.RUNNING if process is None else process.phase
    ages = [report.health_age_seconds for report in seen if report.health_age_seconds is not None]
    details = [process.detail if process else "", *(report.detail for report in seen)]
    return Member(
        name=target.replica,
        model=target.model,
        pool=target.pool,
        url=target.url,
        state=State.DRAINING if target.replica in draining else _state(phase, health),
        health=health,
        in_flight=sum(report.in_flight for report in seen) if seen else None,
        health_age_seconds=max(ages, default=None),
        starting=phase is Phase.STARTING,
        emulated=target.emulated,
        detail="; ".join(dict.fromkeys(filter(None, details))),
        placement=max((report.placement for report in seen if report.placement), key=_doubtful, default=None),
        turn=0 if process is None else process.turn,
        ending=phase is Phase.ENDING,
    )


def _unlisted(process: EngineProcess, draining: Collection[str]) -> Member:
    state = State.DOWN if process.phase in _GONE else State.JOINING
    return Member(
        name=process.name,
        model=process.model,
        pool=process.pool,
        url=process.url,
        state=State.DRAINING if process.name in draining else state,
        health=Health.UNKNOWN,
        listed=False,
        starting=process.phase is Phase.STARTING,
        detail=process.detail,
        turn=process.turn,
        ending=process.phase is Phase.ENDING,
    )


def _doubtful(placement: str) -> tuple[bool, bool]:
    return placement not in (Knowledge.WHOLE, Knowledge.PARTIAL), placement != Knowledge.WHOLE


def _health(seen: list[EngineReport]) -> Health:
    """The worst that any router says; nobody saying anything is unknown."""
    said = {report.health for report in seen}
    if not said or not said <= {Health.READY, Health.NOT_READY}:
        return Health.NOT_READY if Health.NOT_READY in said else Health.UNKNOWN
    return Health.NOT_READY if Health.NOT_READY in said else Health.READY


def _state(phase: Phase, health: Health) -> State:
    if phase is not Phase.RUNNING:
        return State.DOWN if phase in _GONE else State.JOINING
    return {Health.READY: State.READY, Health.NOT_READY: State.DOWN, Health.UNKNOWN: State.JOINING}[health]
