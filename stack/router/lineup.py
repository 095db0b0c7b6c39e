"""The engines a request may go to, each with this router's own view of it: load, queue and rates."""

from __future__ import annotations

from collections.abc import Iterable

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.in_flight import InFlight
from stack.router.row import Row


class Lineup:
    """Adds to the engines of the fleet what changes with every request. Only what has changed is made anew."""

    def __init__(self, in_flight: InFlight, rates: RateBook) -> None:
        self._in_flight = in_flight
        self._rates = rates
        self._rows: dict[tuple[str, Pool], Row] = {}
        self._row_of: dict[str, Row] = {}
        self._fleet = Fleet.of(())
        self._found: dict[tuple[str, Pool], Row] = {}  # in that fleet

    def candidates(self, fleet: Fleet, model: str, pool: Pool) -> tuple[Engine, ...]:
        """The engines of `fleet` that a request for `model`, which may be an adapter, may go to, as of now, by name."""
        if fleet is not self._fleet:
            self._fleet, self._found = fleet, {}
        row = self._found.get((model, pool))
        if row is None:
            if (adapter := fleet.adapters.get(model)) is not None:
                served = self.candidates(fleet, adapter.model, pool)
                return tuple([engine for engine in served if engine.target.replica in adapter.engines])
            row = self._found[model, pool] = self._row(model, pool)
        for changed in (self._in_flight.changed, self._rates.changed):
            for name in changed:
                if name in self._row_of:
                    self._row_of[name].renew(name)
            changed.clear()
        return row.line()

    def watch(self, targets: Iterable[Target]) -> None:
        """These engines exist: what is known of others is forgotten."""
        existing = {target.replica for target in targets}
        for gone in self._row_of.keys() - existing:
            del self._row_of[gone]
            self._rates.forget(gone)
        self._rows.clear()
        self._found.clear()

    def _row(self, model: str, pool: Pool) -> Row:
        """As it was, if the engines are those of before."""
        base = self._fleet.routable(model, pool)
        row = self._rows.get((model, pool))
        if row is None or row.base is not base:
            row = self._rows[model, pool] = Row(base, self._loaded)
            self._row_of.update(dict.fromkeys(row.places, row))
        return row

    def _loaded(self, engine: Engine) -> Engine:
        name, in_flight = engine.target.replica, self._in_flight
        count, queue, rates = in_flight.counts.get(name, 0), in_flight.queue(name), self._rates.of(name)
        return Engine(engine.target, engine.health, engine.draining, count, engine.standing, queue, rates)
