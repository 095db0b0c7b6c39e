"""How many engines of a pool may be out at once: half of it, rounded down, whatever requests experience."""

from __future__ import annotations

from collections import defaultdict

from stack.fleet.engine import Engine, Health, Standing
from stack.fleet.snapshot import Fleet
from stack.model.tier import Pool


def may_eject(fleet: Fleet, engine: Engine) -> bool:
    """There is room for one more ejected engine in the pool of `engine`."""
    others = [other for other in _available(fleet)[engine.target.model, engine.pool] if other.name != engine.name]
    return 1 + len(_out(others)) <= (1 + len(others)) // 2


def surplus(fleet: Fleet) -> frozenset[str]:
    """Ejected engines that must come back, because the pool has shrunk since."""
    if not _out(fleet.engines):
        return frozenset()
    names: set[str] = set()
    for engines in _available(fleet).values():
        out = _out(engines)
        names.update(engine.name for engine in out[: max(0, len(out) - len(engines) // 2)])
    return frozenset(names)


def _available(fleet: Fleet) -> defaultdict[tuple[str, Pool], list[Engine]]:
    """The pools as they were if no engine were ejected."""
    pools: defaultdict[tuple[str, Pool], list[Engine]] = defaultdict(list)
    for engine in fleet.engines:
        if engine.health is Health.READY and not engine.draining:
            pools[engine.target.model, engine.pool].append(engine)
    return pools


def _out(engines: list[Engine] | tuple[Engine, ...]) -> list[Engine]:
    return [engine for engine in engines if engine.standing is not Standing.IN]
