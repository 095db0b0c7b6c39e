"""One engine as the page knows it: what control says of it, beside what Prometheus does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboard import amounts
from dashboard.fleet.place import Place
from dashboard.fleet.told import Figures, Listed, Name, Told
from stack.api.schema import EngineView
from stack.fleet.engine import State
from stack.metrics.engine_queries import Quantity

STATES = (State.DOWN, amounts.UNKNOWN, State.JOINING, State.DRAINING, State.DRAINED, State.READY)
"""The worst first."""
_BY_HEALTH = {"not_ready": State.DOWN, "unknown": State.JOINING, "ready": State.READY}
_NOT_LISTED = Listed()


@dataclass(frozen=True, slots=True)
class Engine:
    """`view` is control's word, None where control does not list it, `listed` the exporter's and the routers' in Prometheus.

    That is None where Prometheus does not answer. `figures` are its, too, by quantity.
    """

    place: Place
    name: str
    view: EngineView | None
    listed: Listed | None
    figures: Figures = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Control's word; without it what routers think, who cannot tell whether an engine is drained."""
        if self.view is not None:
            return self.view.state.value
        return _BY_HEALTH.get(self.health or "", amounts.UNKNOWN)

    @property
    def health(self) -> str | None:
        """What routers that look at it think of it."""
        if self.view is not None:
            return self.view.health.value
        return None if self.listed is None else self.listed.health

    @property
    def in_flight(self) -> float | None:
        """Requests that routers have at it."""
        told = None if self.view is None else self.view.in_flight
        return self.figures.get(Quantity.IN_FLIGHT) if told is None else told

    @property
    def emulated(self) -> bool | None:
        """None where nobody says: an engine that is only starting cannot be told yet."""
        listed = None if self.listed is None else self.listed.emulated
        return True if self.view is not None and self.view.emulated else listed

    @property
    def version(self) -> str | None:
        """The engine's own, as the exporter read it."""
        return None if self.listed is None else self.listed.version

    @property
    def unread(self) -> tuple[str, ...]:
        """The exporter's collectors that could not read it."""
        return () if self.listed is None else self.listed.unread

    @property
    def rank(self) -> tuple[int, bool, float, str]:
        """Where it stands in a list whose first is the worst off."""
        return STATES.index(self.state), not self.unread, -(self.in_flight or 0), self.name


def engines(views: Sequence[EngineView] | None, listed: Mapping[Name, Listed] | None) -> list[Engine]:
    """Every engine, the worst off first. Those that only one side knows of are there, too."""
    own = {(Place(view.model, view.pool.value), view.name): view for view in views or ()}
    names = dict.fromkeys([*own, *(listed or ())])
    found = [
        Engine(place, name, own.get((place, name)), None if listed is None else listed.get((place, name), _NOT_LISTED))
        for place, name in names
    ]
    return sorted(found, key=lambda engine: engine.rank)


@dataclass(frozen=True, slots=True)
class Wanted:
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


def measured(found: Sequence[Engine], told: Told) -> list[Engine]:
    """`found` with their figures."""
    return [replace(engine, figures=told.figures.get((engine.place, engine.name), {})) for engine in found]
