"""The fleet's state machine: step(fleet, event) -> fleet."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from stack.fleet.adapters import AdaptersListed
from stack.fleet.ejection import may_eject, surplus
from stack.fleet.engine import Engine, Health, Standing
from stack.fleet.snapshot import Fleet, Member
from stack.model.target import Target

PROBES_TO_NOT_READY = 2  # one lost probe is noise: an engine that compiles or collects garbage misses one
CONNECTS_TO_NOT_READY = 3  # refused or reset connections of real requests say it sooner than the next probe


@dataclass(frozen=True, slots=True)
class TargetsChanged:
    """The target file was read anew; `targets` is all of it."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class DrainingChanged:
    """`names` take no new requests from now on; all others may."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class ProbeSucceeded:
    """The engine answered a health probe with success."""

    name: str


@dataclass(frozen=True, slots=True)
class ProbeFailed:
    """A health probe was refused, timed out or answered with an error; `detail` says which."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class ConnectFailed:
    """A request could not be handed to the engine, or its connection broke; `detail` says how."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The engine answered a request, with whatever status: a 4xx is the client's fault, never the engine's."""

    name: str


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """The engine answered a request with a failure of its own (5xx); `detail` says which."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class HealthAged:
    """Nobody has looked at the engine for too long: what was found then is no news; `detail` says how long."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Ejected:
    """No new requests for `seconds`, unless more than half of its pool would be out; `cause` says after what, in words."""

    name: str
    seconds: float
    cause: str


@dataclass(frozen=True, slots=True)
class TrialDue:
    """The ejection has lasted long enough: one request may find out."""

    name: str


EngineEvent = (
    AdaptersListed | ProbeSucceeded | ProbeFailed | HealthAged | ConnectFailed | Answered | RequestFailed | Ejected | TrialDue
)
Event = TargetsChanged | DrainingChanged | EngineEvent


def step(fleet: Fleet, event: Event) -> Fleet:
    """The fleet after `event`; the same object when nothing changes. Events about unknown engines change nothing."""
    after = _step(fleet, event)
    if after is fleet or not (back := surplus(after)):
        return after
    members = (_readmitted(member) if name in back else member for name, member in after.members.items())
    return Fleet.of(members, after.draining)


def _step(fleet: Fleet, event: Event) -> Fleet:
    if isinstance(event, TargetsChanged):
        return _retarget(fleet, event.targets)
    if isinstance(event, DrainingChanged):
        return _drain(fleet, event.names)
    member = fleet.members.get(event.name)
    if member is None or (isinstance(event, Ejected) and not may_eject(fleet, member.engine)):
        return fleet
    after = _after(member, event)
    if after == member:
        return fleet
    return Fleet.of((*(other for name, other in fleet.members.items() if name != event.name), after), fleet.draining)


def _retarget(fleet: Fleet, targets: tuple[Target, ...]) -> Fleet:
    """A target that changed in any field is another process: it starts unknown."""

    def member(target: Target) -> Member:
        known = fleet.members.get(target.replica)
        if known is not None and known.engine.target == target:
            return known
        return Member(Engine(target, draining=target.replica in fleet.draining))

    after = Fleet.of((member(target) for target in targets), fleet.draining)
    return fleet if after == fleet else after


def _drain(fleet: Fleet, names: frozenset[str]) -> Fleet:
    if names == fleet.draining:
        return fleet
    members = fleet.members.values()
    return Fleet.of((replace(m, engine=replace(m.engine, draining=m.name in names)) for m in members), names)


def _after(member: Member, event: EngineEvent) -> Member:
    if isinstance(event, ProbeSucceeded):
        return _well(member)
    if isinstance(event, Answered):
        return _answered(member)
    if isinstance(event, AdaptersListed):
        return replace(member, adapters=event.adapters)
    if isinstance(event, Ejected):
        return _ejected(member, event)
    if isinstance(event, TrialDue):
        return _on_trial(member)
    if isinstance(event, HealthAged):
        return replace(member, engine=replace(member.engine, health=Health.UNKNOWN), detail=event.detail)
    if isinstance(event, RequestFailed):
        return replace(member, failures=member.failures + 1, detail=event.detail)
    if isinstance(event, ProbeFailed):
        failed = replace(member, failed_probes=member.failed_probes + 1, detail=event.detail)
        return _not_ready(failed) if failed.failed_probes >= PROBES_TO_NOT_READY else failed
    failed = replace(member, failed_connects=member.failed_connects + 1, failures=member.failures + 1, detail=event.detail)
    return _not_ready(failed) if failed.failed_connects >= CONNECTS_TO_NOT_READY else failed


def _not_ready(member: Member) -> Member:
    return replace(member, engine=replace(member.engine, health=Health.NOT_READY))


def _well(member: Member) -> Member:
    """A green probe says nothing about requests, but an engine that probes saw down is another process now."""
    if member.failed_probes >= PROBES_TO_NOT_READY:
        return Member(replace(member.engine, health=Health.READY, standing=Standing.IN))
    return replace(member, engine=replace(member.engine, health=Health.READY), failed_probes=0, failed_connects=0, detail="")


def _answered(member: Member) -> Member:
    if member.engine.standing is Standing.EJECTED:  # an older request came through; the trial will tell
        return replace(member, failed_connects=0)
    if member.untroubled:
        return member
    return replace(_readmitted(member), failed_connects=0, ejected_s=0.0)


def _ejected(member: Member, event: Ejected) -> Member:
    words = f"ejected for {event.seconds:g} s {event.cause}"
    return replace(member, engine=replace(member.engine, standing=Standing.EJECTED), ejected_s=event.seconds, ejection=words)


def _on_trial(member: Member) -> Member:
    if member.engine.standing is not Standing.EJECTED:
        return member
    return replace(member, engine=replace(member.engine, standing=Standing.TRIAL), ejection=f"on trial, was {member.ejection}")


def _readmitted(member: Member) -> Member:
    return replace(member, engine=replace(member.engine, standing=Standing.IN), failures=0, ejection="")
