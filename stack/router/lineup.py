"""The engines a request may go to, each with this router's own view of it: load, queue and rates."""

from __future__ import annotations

from collections.abc import Iterable

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine
from stack.model.target import Target
from stack.router.in_flight import InFlight


class Lineup:
    """Adds to an engine of the fleet what changes with every request. What has not changed is not made anew."""

    def __init__(self, in_flight: InFlight, rates: RateBook) -> None:
        self._in_flight = in_flight
        self._rates = rates
        self._made: dict[str, tuple[Engine, Engine]] = {}

    def loaded(self, engine: Engine) -> Engine:
        """The engine as of now."""
        name = engine.target.replica
        count, queue, rates = self._in_flight.counts.get(name, 0), self._in_flight.queue(name), self._rates.of(name)
        kept = self._made.get(name)
        if kept is not None:
            base, made = kept
            if base is engine and made.in_flight == count and made.queue is queue and made.rates is rates:
                return made
        made = Engine(engine.target, engine.health, engine.draining, count, engine.standing, queue, rates)
        self._made[name] = engine, made
        return made

    def watch(self, targets: Iterable[Target]) -> None:
        """These engines exist: what is known of others is forgotten."""
        existing = {target.replica for target in targets}
        for gone in self._made.keys() - existing:
            del self._made[gone]
            self._rates.forget(gone)
