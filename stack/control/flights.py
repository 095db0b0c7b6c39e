"""One change of a pool's size at a time: what is in flight, since when, and from where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from stack.control.drift import drift
from stack.control.holds import Place
from stack.control.members import Member
from stack.control.ports import Generation
from stack.control.state import Desired
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class Flight:
    """A change of a pool's replicas that the pool has not reached yet: from `before`, since then (Unix seconds)."""

    before: int
    since: float


Flights = Mapping[Place, Flight]


def begun(flights: Flights, before: Desired, after: Desired, now: float) -> Flights:
    """`flights` with those that the change from `before` to `after` begins; a change back ends where it came from."""
    started = {
        (model, pool): Flight(before.models[model].pools.of(pool).replicas, now)
        for model, state in after.models.items()
        for pool in Pool
        if model in before.models and before.models[model].pools.of(pool).replicas != state.pools.of(pool).replicas
    }
    return {**flights, **started}


def airborne(flights: Flights, desired: Desired, members: Sequence[Member]) -> Flights:
    """Those of `flights` whose pools are not as desired yet. One that was is over, whatever becomes of its engines later."""
    lacking = drift(desired, members) if flights else {}
    return {place: flight for place, flight in flights.items() if replicas_of(place) in lacking}


def recalled(generations: Sequence[Generation], desired: Desired) -> Flights:
    """What may be in flight after a restart: each pool's last change of size, out of `generations`, newest first."""
    found: dict[Place, Flight] = {}
    sizes = {replicas_of((model, pool)): (model, pool) for model in desired.models for pool in Pool}
    for generation in generations:
        for change in () if generation.record is None else generation.record.diff:
            if change.field in sizes and isinstance(change.before, int):
                found.setdefault(sizes[change.field], Flight(change.before, generation.at))
    return found


def replicas_of(place: Place) -> str:
    """The field that says how many engines a pool has."""
    return f"models.{place[0]}.pools.{place[1]}.replicas"


def clock_time(at: float) -> str:
    """Unix seconds for people."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
