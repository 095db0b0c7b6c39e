"""What the supervisor knows of a component before it runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Protocol

from stack.model.target import Target


class Stage(IntEnum):
    """Shutdown goes from the highest stage to the lowest: nobody loses what it leans on."""

    STORE = 0
    CACHE = 1
    ENGINE = 2
    SERVICE = 3
    FACE = 4


class NotReadyError(Exception):
    """A component does not answer as it should; the message says how, in a few words."""


class StartError(Exception):
    """A component could not even be started; the message is one line."""


class Probe(Protocol):
    """Asks a running component whether it serves. Both calls have their own deadline and raise NotReadyError."""

    async def ready(self) -> None:
        """Whether it serves for the first time after its start; may warm it up."""
        ...

    async def alive(self) -> None:
        """Whether it still answers."""
        ...


class Running(Protocol):
    """One life of a component, from its start to its end."""

    @property
    def pid(self) -> int | None: ...

    async def wait(self) -> str:
        """Returns when it ended by itself, with how: `exited with code 1`."""
        ...

    async def stop(self) -> None:
        """Ends it, gently first; returns when nothing of it is left, whether it ran or not."""
        ...


class Launchable(Protocol):
    """How a component comes to life: as a process, or inside another one."""

    async def start(self, name: str) -> Running:
        """Raises StartError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One component. `after` names those that must be ready before it starts; times are in seconds.

    `renewed_by` names those whose restart it does not survive in full: it is restarted when they serve anew.
    `target` is what the target file says once it served for the first time: engines only.
    """

    name: str
    kind: str
    stage: Stage
    launch: Launchable
    probe: Probe
    url: str | None = None
    after: tuple[str, ...] = ()
    renewed_by: tuple[str, ...] = ()
    ready_within: float = 60.0
    target: Target | None = None
    log: Path | None = None
    note: str = ""
