"""A search for engines: by pool, state, and what is written of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboard.fleet.place import Place
from dashboard.fleet.seen import Engine


@dataclass(frozen=True, slots=True)
class Search:
    """Which engines are looked at: of one pool, in some states, with a text in their name or address, at most `most`."""

    model: str | None = None
    place: Place | None = None
    states: frozenset[str] = frozenset()
    text: str = ""
    most: int = 50

    def of(self, found: Sequence[Engine]) -> list[Engine]:
        """All that fit, however many."""
        return [engine for engine in found if self._fits(engine)]

    def _fits(self, engine: Engine) -> bool:
        if self.place is not None and engine.place != self.place:
            return False
        if self.model is not None and engine.place.model != self.model:
            return False
        if self.states and engine.state not in self.states:
            return False
        return self.text.lower() in " ".join(_words(engine)).lower()


def _words(engine: Engine) -> Iterator[str]:
    yield engine.name
    yield engine.version or ""
    if engine.view is not None:
        yield from (engine.view.url or "", engine.view.detail)
