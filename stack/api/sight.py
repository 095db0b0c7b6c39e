"""What control sees of the fleet at this moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stack.api.board import Board
from stack.api.routers import Routers
from stack.api.schema import Drift, RouterView
from stack.control.cache_effects import cache_drift
from stack.control.drained import drained, turned
from stack.control.drift import drift
from stack.control.flights import airborne
from stack.control.holds import Place, Watched, drifting, watched
from stack.control.machinery import UNKNOWN, EngineProcess, Machinery
from stack.control.members import Member, observe
from stack.control.mode import FILE_FIELD
from stack.control.ports import Kept
from stack.control.tier_effects import tier_drift
from stack.control.tiers import NO_STORE, CacheSeen
from stack.model.target import Target


class Sight:
    """The latest targets and processes, joined with the routers' reports whenever somebody looks. `wall` is Unix seconds.

    `failures` are of steps, by field, `elsewhere` is what a counterpart does not follow; `desired_file` says why the file that
    is followed is not in force, None while it is. `unlistable` says why nobody can tell which engines there are, None while
    somebody can.
    """

    def __init__(self, board: Board, routers: Routers, wall: Callable[[], float]) -> None:
        self._board, self._routers, self._wall = board, routers, wall
        self._since: dict[str, float] = {}
        self.targets: Sequence[Target] = ()
        self.processes: Sequence[EngineProcess] = ()
        self.machinery = UNKNOWN
        self.store = NO_STORE
        self.caches: Sequence[CacheSeen] = ()
        self.watching: dict[Place, Watched] = {}
        self.failures: dict[str, str] = {}
        self.cache_failures: dict[str, str] = {}
        self.elsewhere: dict[str, str] = {}
        self.desired_file: str | None = None
        self.unlistable: str | None = None

    def saw(self, found: Machinery, processes: Sequence[EngineProcess]) -> None:
        """The machinery answered: `processes` are those that it told, and those that it was told of a moment ago."""
        self.processes, self.machinery = processes, found
        self.watching = watched(self.watching, found.workloads, self._board.desired)
        self._board.flights = airborne(self._board.flights, self._board.desired, self.members())

    def members(self) -> tuple[Member, ...]:
        """Every engine that anyone lists or runs."""
        there = observe(self.targets, self.processes, self._routers.live(), self._board.drains)
        return turned(there, drained(self._board.desired))

    def drift(self, members: Sequence[Member] | None = None) -> tuple[Drift, ...]:
        """Everything that is not as desired, with the time since when. `members` are this moment's, where they are at hand."""
        there = self.members() if members is None else members
        reasons = drift(self._board.desired, there, self.machinery) | self._router_drift() | _unknown(self._board.kept)
        tiers = self._board.desired.tiers
        reasons |= tier_drift(tiers, self.store) | cache_drift(tiers, self.caches)
        failures = (*self.failures.items(), *self.cache_failures.items(), *self.elsewhere.items())
        for field, failure in (*drifting(self.watching), *failures):
            reasons[field] = "; ".join(filter(None, [reasons.get(field), failure]))
        if self.desired_file is not None:
            reasons[FILE_FIELD] = self.desired_file
        if self.unlistable is not None:
            reasons["targets"] = f"{self.unlistable}; what it listed last still counts"
        now = self._wall()
        self._since = {field: self._since.get(field, now) for field in reasons}
        return tuple(Drift(field=field, reason=reason, since=self._since[field]) for field, reason in sorted(reasons.items()))

    def _router_drift(self) -> dict[str, str]:
        views = self._routers.views()
        reasons = {f"applied.routers.{view.id}": reason for view in views if (reason := lag(view, self._board.generation))}
        return reasons if any(view.live for view in views) else reasons | {"applied.routers": "no router reports"}


def _unknown(kept: Kept) -> dict[str, str]:
    reason = f"of a newer release (schema {kept.schema}): kept for it, without effect here"
    return dict.fromkeys(kept.ignored, reason)


def lag(view: RouterView, generation: int) -> str:
    """What keeps a router from being as desired, in words; empty when nothing does."""
    if not view.live:
        return f"last heard of {view.age_seconds:.0f} s ago"
    parts = []
    if view.generation != generation:
        parts.append(f"applies generation {view.generation}, desired is {generation}")
    if view.refused is not None:
        parts.append(f"refuses generation {view.refused.generation}: {view.refused.reason}")
    if view.ignored:
        parts.append(f"is of another release (schema {view.schema}) and goes without {', '.join(view.ignored)}")
    return "; ".join(parts)
