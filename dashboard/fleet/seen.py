"""One engine as the page knows it: what control says of it, beside what Prometheus does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboard import amounts
from dashboard.fleet.name import Name
from dashboard.fleet.place import Place
from dashboard.fleet.told import Figures, Listed, Told
from dashboard.sites import NOWHERE, Site
from stack.api.schema import EngineView
from stack.fleet.engine import State
from stack.metrics.engine_queries import Quantity

STATES = (State.DOWN, amounts.UNKNOWN, State.JOINING, State.DRAINING, State.DRAINED, State.READY)
"""The worst first."""
_BY_HEALTH = {"not_ready": State.DOWN, "unknown": State.JOINING, "ready": State.READY}
_NOT_LISTED = Listed()
NAMESAKE = "several clusters or namespaces have one of this name: which of them is control's nobody tells"


@dataclass(frozen=True, slots=True)
class Engine:
    """`view` is control's word, None where control does not list it, `listed` the exporter's and the routers' in Prometheus.

    That is None where Prometheus does not answer. `figures` are its, too, by quantity. `site` is None where it does not list it,
    as control does not say where its engines are. `namesake`: control has an engine of this
    name, and nobody tells which of several clusters' or namespaces' it is.
    """

    place: Place
    name: str
    view: EngineView | None
    listed: Listed | None
    figures: Figures = field(default_factory=dict)
    site: Site | None = None
    namesake: bool = False

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
    def rank(self) -> tuple[int, bool, float, str, str]:
        """Where it stands in a list whose first is the worst off."""
        return STATES.index(self.state), not self.unread, -(self.in_flight or 0), self.name, str(self.site or NOWHERE)

    def remarks(self, clock: Callable[[float], str]) -> str:
        """What else there is to say of it, for people; `clock` writes a time."""
        if self.namesake:
            return NAMESAKE
        return "" if self.view is None else self.view.remarks(clock)


def engines(views: Sequence[EngineView] | None, listed: Mapping[Name, Listed] | None) -> list[Engine]:
    """Every engine, the worst off first. Those that only one side knows of are there, too.

    What control says of an engine is said of the one that Prometheus has of its name, while that is one.
    """
    own = {(Place(view.model, view.pool.value), view.name): view for view in views or ()}
    alike = Counter((whole.place, whole.engine) for whole in listed or ())
    alone = [
        Engine(*key, view, None if listed is None else _NOT_LISTED) for key, view in own.items() if key not in alike
    ]  # fmt: skip
    found = [_listed(whole, one, own.get((whole.place, whole.engine)), alike) for whole, one in (listed or {}).items()]
    return sorted([*alone, *found], key=lambda engine: engine.rank)


def _listed(whole: Name, listed: Listed, view: EngineView | None, alike: Counter[tuple[Place, str]]) -> Engine:
    only = alike[whole.place, whole.engine] == 1
    namesake = view is not None and not only
    return Engine(whole.place, whole.engine, view if only else None, listed, site=whole.site, namesake=namesake)


def measured(found: Sequence[Engine], told: Told) -> list[Engine]:
    """`found` with their figures."""
    return [
        replace(engine, figures=told.figures.get(Name(engine.place, engine.name, engine.site or NOWHERE), {})) for engine in found
    ]  # fmt: skip
