"""One model's pool as its engines are now, in a line that is mended where something changed."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

from stack.fleet.engine import Engine, Standing
from stack.strategies.line import SHORTEST, Due, Line, due

Loaded = Callable[[Engine], Engine]


class Row:
    """`base` are the fleet's engines; `loaded` adds this router's own view to each."""

    __slots__ = ("_encoded", "_engines", "_line", "_loaded", "_on_trial", "_order", "base", "places")

    def __init__(self, base: tuple[Engine, ...], loaded: Loaded) -> None:
        self.base = base
        self.places = {engine.name: place for place, engine in enumerate(base)}
        self._loaded = loaded
        self._engines = [loaded(engine) for engine in base]
        self._encoded = [name.encode() for name in self.places]
        self._on_trial = any(engine.standing is Standing.TRIAL for engine in base)
        self._order: list[tuple[Due, Engine]] = []
        if len(base) > SHORTEST:
            self._order = sorted([(due(engine), engine) for engine in self._engines], key=_by_due)
        self._line: Line | None = None

    def renew(self, name: str) -> None:
        """Something of this engine changed."""
        place = self.places[name]
        before, now = self._engines[place], self._loaded(self.base[place])
        self._engines[place] = now
        self._line = None
        if self._order:
            del self._order[bisect_left(self._order, due(before), key=_by_due)]
            insort(self._order, (due(now), now), key=_by_due)

    def line(self) -> Line:
        """Those that may take another request now, by name; the same line until something changes."""
        if self._line is None:
            self._line = self._made()
        return self._line

    def _made(self) -> Line:
        if self._on_trial:
            return Line.of([engine for engine in self._engines if engine.admitted])
        shortest = [engine for _, engine in self._order[:SHORTEST]] if self._order else self._engines
        return Line.made(self._engines, self.places, self._encoded, tuple(shortest))


def _by_due(entry: tuple[Due, Engine]) -> Due:
    return entry[0]
