"""The engines a request may go to, each with this router's own view of it: load, queue and rates."""

from __future__ import annotations

from collections.abc import Iterable

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine, Standing
from stack.fleet.snapshot import Fleet
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.in_flight import InFlight


class _Row:
    """One model's pool. `base` are the fleet's engines, `engines` the same with their load; `frozen` is handed out."""

    __slots__ = ("base", "engines", "frozen", "on_trial")

    def __init__(self, base: tuple[Engine, ...], engines: list[Engine]) -> None:
        self.base = base
        self.engines = engines
        self.on_trial = any(engine.standing is Standing.TRIAL for engine in base)
        self.frozen: tuple[Engine, ...] | None = None


class Lineup:
    """Adds to the engines of the fleet what changes with every request. Only what has changed is made anew."""

    def __init__(self, in_flight: InFlight, rates: RateBook) -> None:
        self._in_flight = in_flight
        self._rates = rates
        self._rows: dict[tuple[str, Pool], _Row] = {}
        self._places: dict[str, tuple[_Row, int]] = {}

    def candidates(self, fleet: Fleet, model: str, pool: Pool) -> tuple[Engine, ...]:
        """The engines of `fleet` that a request for `model`, which may be an adapter, may go to, as of now, by name."""
        if (adapter := fleet.adapters.get(model)) is not None:
            served = self.candidates(fleet, adapter.model, pool)
            return tuple([engine for engine in served if engine.target.replica in adapter.engines])
        base = fleet.routable(model, pool)
        row = self._rows.get((model, pool))
        if row is None or row.base is not base:
            row = self._lined_up(model, pool, base)
        for changed in (self._in_flight.changed, self._rates.changed):
            for name in changed:
                self._renew(name)
            changed.clear()
        if row.frozen is None:
            row.frozen = tuple([engine for engine in row.engines if engine.admitted] if row.on_trial else row.engines)
        return row.frozen

    def watch(self, targets: Iterable[Target]) -> None:
        """These engines exist: what is known of others is forgotten."""
        existing = {target.replica for target in targets}
        for gone in self._places.keys() - existing:
            del self._places[gone]
            self._rates.forget(gone)
        self._rows.clear()

    def _lined_up(self, model: str, pool: Pool, base: tuple[Engine, ...]) -> _Row:
        row = self._rows[model, pool] = _Row(base, [self._loaded(engine) for engine in base])
        self._places.update({engine.name: (row, place) for place, engine in enumerate(base)})
        return row

    def _renew(self, name: str) -> None:
        known = self._places.get(name)
        if known is not None:
            row, place = known
            row.engines[place] = self._loaded(row.base[place])
            row.frozen = None

    def _loaded(self, engine: Engine) -> Engine:
        name, in_flight = engine.target.replica, self._in_flight
        count, queue, rates = in_flight.counts.get(name, 0), in_flight.queue(name), self._rates.of(name)
        return Engine(engine.target, engine.health, engine.draining, count, engine.standing, queue, rates)
