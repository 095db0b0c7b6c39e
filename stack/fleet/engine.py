"""One engine of the fleet, as an immutable value."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.rates import PROFILE, Rates
from stack.model.target import Target
from stack.model.tier import Pool


class State(StrEnum):
    """What the operator's machinery is doing with an engine."""

    JOINING = "joining"
    READY = "ready"
    DRAINING = "draining"  # it leaves
    DRAINED = "drained"  # an operator took it out of rotation; it stays
    DOWN = "down"


class Health(StrEnum):
    """What is known of an engine's ability to answer; unknown is not fine."""

    READY = "ready"
    NOT_READY = "not_ready"
    UNKNOWN = "unknown"


class Standing(StrEnum):
    """What requests experienced of an engine, whatever its probes say; on trial it gets one request at a time."""

    IN = "in"
    EJECTED = "ejected"
    TRIAL = "trial"


class Engine(msgspec.Struct, frozen=True, gc=False):
    """A candidate for routing. `in_flight` and `queue` are the router's own count, never a scraped gauge; `rates` are learnt."""

    target: Target
    health: Health = Health.UNKNOWN
    draining: bool = False
    in_flight: int = 0
    standing: Standing = Standing.IN
    queue: Queue = EMPTY_QUEUE
    rates: Rates = PROFILE

    @property
    def name(self) -> str:
        return self.target.replica

    @property
    def pool(self) -> Pool:
        return self.target.pool

    @property
    def routable(self) -> bool:
        """New requests may go here."""
        return self.health is Health.READY and not self.draining and self.admitted

    @property
    def admitted(self) -> bool:
        """What requests experienced does not stand against another one."""
        return self.standing is Standing.IN or (self.standing is Standing.TRIAL and self.in_flight == 0)

    @property
    def state(self) -> State:
        """The state the control API shows."""
        if self.draining:
            return State.DRAINING
        return {Health.READY: State.READY, Health.UNKNOWN: State.JOINING, Health.NOT_READY: State.DOWN}[self.health]
