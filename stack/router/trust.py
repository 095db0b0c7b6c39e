"""Which prefill engines' hand-overs are worth asking for: each that comes to nothing costs its request a whole prefill."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from stack.fleet.engine import Health
from stack.fleet.snapshot import Fleet
from stack.router.settings import RouterSettings

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Doubt:
    """Failures in a row; none is asked for before `until`, in seconds of the clock, and the next pause lasts `pause_s`."""

    failures: int = 0
    until: float = 0.0
    pause_s: float = 0.0


class Trust:
    """Lost after some failed hand-overs in a row, for a while; then one request at a time finds out, and each failure doubles it.

    An engine is not ejected for it: it may answer well, and what is broken lie between it and its peers. Without it the
    direct path is left, however small the pool.
    """

    def __init__(self, settings: RouterSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._doubts: dict[str, _Doubt] = {}

    def ask(self, engine: str) -> bool:
        """Whether to ask `engine` for a hand-over now. Once it is doubted, a yes is one trial."""
        doubt = self._doubts.get(engine)
        if doubt is None or doubt.failures < self._settings.eject_after:
            return True
        now = self._clock()
        if now < doubt.until:
            return False
        doubt.until = now + doubt.pause_s
        return True

    def failed(self, engine: str) -> None:
        """A hand-over of `engine`'s came to nothing, or its KV did not arrive."""
        doubt = self._doubts.setdefault(engine, _Doubt())
        doubt.failures += 1
        if doubt.failures < self._settings.eject_after:
            return
        doubt.pause_s = min(max(self._settings.eject_s, 2 * doubt.pause_s), self._settings.eject_max_s)
        doubt.until = self._clock() + doubt.pause_s
        log.warning("no hand-overs for a while", extra={"engine": engine, "seconds": doubt.pause_s, "failures": doubt.failures})

    def worked(self, engine: str) -> None:
        """The KV arrived."""
        if self._doubts:
            self._doubts.pop(engine, None)

    def fleet_changed(self, before: Fleet, after: Fleet) -> None:
        """A listener of the fleet keeper: an engine that comes back is another process, and what comes late was the old one's."""
        for name in tuple(self._doubts):
            if _is_ready(after, name) and not _is_ready(before, name):
                del self._doubts[name]


def _is_ready(fleet: Fleet, name: str) -> bool:
    member = fleet.members.get(name)
    return member is not None and member.engine.health is Health.READY
