"""What a stack left behind whose supervisor was killed, and how it is ended."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby

from stack.config import Layout
from stack.local import runtime_folder, segments, sessions
from stack.local.components.lmcache import shared_memory_name
from stack.local.ledger import Entry, read_ledger
from stack.local.paths import StackPaths
from stack.local.process import MARK
from stack.local.target_list import TargetList

LOOK_SECONDS = 0.1
KILL_SECONDS = 5.0


class StubbornError(Exception):
    """Processes survived SIGKILL: the kernel holds them; the message names them."""


def survivors(layout: Layout) -> list[Entry]:
    """The components that still run, as the last supervisor noted them: exactly those processes, by pid and birth."""
    return [entry for entry in read_ledger(StackPaths(layout).ledger) if entry.alive]


def orphans(layout: Layout) -> frozenset[int]:
    """Every process that was started for this stack, descendants of dead components among them."""
    return sessions.marked(MARK, layout.runtime.name)


class Sweep:
    """Ends survivors as the supervisor would have: the faces first and the store last, each with its grace."""

    def __init__(self, layout: Layout, clock: Callable[[], float] = time.monotonic, pause: Callable[[float], None] = time.sleep):
        self._layout, self._clock, self._pause = layout, clock, pause

    def run(self) -> tuple[str, ...]:
        """Ends all, removes their shared memory, sockets and notes; the names of what ran. Raises StubbornError."""
        noted = read_ledger(StackPaths(self._layout).ledger)
        found = [entry for entry in noted if entry.alive]
        mapped = segments.mapped(orphans(self._layout))
        for _, entries in groupby(sorted(found, key=_stage, reverse=True), key=_stage):
            self._end(list(entries))
        stray = orphans(self._layout)
        self._until_gone(lambda: orphans(self._layout), sessions.kill)
        self._clean(mapped | {segment for entry in noted for segment in entry.segments})
        return tuple(entry.name for entry in found) or (("stray processes",) if stray else ())

    def _end(self, entries: list[Entry]) -> None:
        for entry in entries:
            with suppress(ProcessLookupError):
                os.kill(entry.pid, signal.SIGTERM)
        patience = self._clock() + max(entry.grace for entry in entries)
        while self._clock() < patience and any(entry.alive for entry in entries):
            self._pause(LOOK_SECONDS)
        self._until_gone(lambda: _alive(entries), sessions.kill)

    def _until_gone(self, left: Callable[[], frozenset[int]], kill: Callable[[frozenset[int]], None]) -> None:
        patience = self._clock() + KILL_SECONDS
        while pids := left():
            if self._clock() > patience:
                raise StubbornError(f"processes {', '.join(map(str, sorted(pids)))} do not end: the kernel holds them")
            kill(pids)
            self._pause(LOOK_SECONDS / 10)

    def _clean(self, names: Iterable[str]) -> None:
        segments.remove({*names, shared_memory_name(self._layout.runtime.name)})
        runtime_folder.remove(self._layout.runtime)
        StackPaths(self._layout).ledger.unlink(missing_ok=True)
        if self._layout.targets.exists():
            TargetList(self._layout.targets).clear()


def _stage(entry: Entry) -> int:
    return entry.stage


def _alive(entries: list[Entry]) -> frozenset[int]:
    return frozenset(entry.pid for entry in entries if entry.alive)
