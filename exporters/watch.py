"""What takes two expositions of a target to tell: counters that began anew, and gauges that are not refreshed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stack.engines import vllm_quantities as vq
from stack.engines.quantities import Fold, Resolved, State

# An engine that has requests and finished nothing for so long does not step, and so refreshes no gauge.
STUCK_SECONDS = 120.0


@dataclass(slots=True)
class _Last:
    """A target's counters as they were, and since when they have stood still although it has requests."""

    counters: Mapping[str, float]
    still_since: float | None = None


class Watch:
    """Remembers every target's last exposition."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: dict[str, _Last] = {}

    def states(self, target: str, resolved: Iterable[Resolved]) -> dict[str, State]:
        """Each quantity's state, by name. A counter that fell was reset; what an engine that hangs would refresh is stale."""
        told = list(resolved)
        counters = {one.quantity.name: one.number for one in told if one.quantity.fold is Fold.COUNTER and one.number is not None}
        last = self._last.get(target)
        before = {} if last is None else last.counters
        now = self._clock()
        since = last.still_since if last is not None and last.still_since is not None else now
        self._last[target] = _Last(counters, since if _stands_still(told, counters, before) else None)
        stuck = self._last[target].still_since is not None and now - since >= STUCK_SECONDS
        return {one.quantity.name: _state(one, before, stuck) for one in told}

    def forget(self, target: str) -> None:
        """The target is gone: one of its name that comes later is another."""
        self._last.pop(target, None)


def _stands_still(told: Iterable[Resolved], now: Mapping[str, float], before: Mapping[str, float]) -> bool:
    """Something runs, and no token was given and no prompt begun to be answered since the last time."""
    running = next((one.number for one in told if one.quantity is vq.RUNNING), None)
    return bool(running) and all(name in now and now[name] == before.get(name) for name in (vq.PROMPT.name, vq.GENERATED.name))


def _state(one: Resolved, before: Mapping[str, float], stuck: bool) -> State:
    number = one.number
    if number is not None and one.quantity.fold is Fold.COUNTER and number < before.get(one.quantity.name, 0.0):
        return State.RESET
    if stuck and one.quantity.stepped and number is not None:
        return State.STALE
    return one.state
