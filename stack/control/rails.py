"""What no change may do, and what only one that is forced may. Every refusal says why, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stack.control.drift import drift
from stack.control.flights import Flights, clock_time, replicas_of
from stack.control.leaving import leavers, present
from stack.control.members import Member
from stack.control.refusal import InFlightError, RefusedError
from stack.control.state import Desired
from stack.fleet.engine import State
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class Forced:
    """A pool's size changes although its last change is still in flight."""

    kind: ClassVar[str] = "forced"
    model: str
    pool: Pool
    reason: str

    @property
    def sentence(self) -> str:
        return f"Forced: {self.reason}."


def check_serving(before: Desired, after: Desired, members: Sequence[Member]) -> None:
    """No change ends the last ready decode engine, or engines that may become it while none is. Raises RefusedError.

    Nothing forces this. Engines that are down serve nothing, and may always go.
    """
    for model, state in after.models.items():
        wanted = state.pools.decode.replicas
        if wanted >= before.models[model].pools.decode.replicas:
            continue
        here = present(members, model, Pool.DECODE)
        going = leavers(here, wanted)
        ready = [member.name for member in here if member.state is State.READY]
        if all(member.state is State.DOWN for member in going) or set(ready) - {member.name for member in going}:
            continue
        ending = ", ".join(member.name for member in going)
        raise RefusedError(
            replicas_of((model, Pool.DECODE)),
            f"{wanted} would leave no ready decode engine: {len(ready)} of {len(here)} are ready, and {ending} would end;"
            " wait until one that stays is ready",
        )


def check_flights(before: Desired, after: Desired, members: Sequence[Member], flights: Flights, force: bool) -> Iterator[Forced]:
    """A pool's size changes again only once it reached the last one, or goes back; `force` lets it.

    Raises InFlightError; yields what was forced.
    """
    lacking = drift(before, members) if flights else {}
    for (model, pool), flight in flights.items():
        field = replicas_of((model, pool))
        if model not in after.models or model not in before.models or field not in lacking:
            continue
        now, wanted = (state.models[model].pools.of(pool).replicas for state in (before, after))
        if wanted in (now, flight.before):
            continue
        reason = f"the {pool} pool has been on its way from {flight.before} to {now} engines since {clock_time(flight.since)}"
        if not force:
            raise InFlightError(
                field,
                f"not {wanted} yet: {reason} ({lacking[field]}); wait for it, go back to {flight.before}, or force the change",
            )
        yield Forced(model, pool, reason)
