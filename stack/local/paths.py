"""Files of a running stack that only the supervisor and the commands around it use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stack.config import Layout


@dataclass(frozen=True, slots=True)
class StackPaths:
    """All in `.kvdeck/run`."""

    layout: Layout

    @property
    def folder(self) -> Path:
        return self.layout.state / "run"

    @property
    def launch(self) -> Path:
        """What the supervisor is told at its start."""
        return self.folder / "launch.json"

    @property
    def ledger(self) -> Path:
        """The processes that run."""
        return self.folder / "processes.json"

    @property
    def lock(self) -> Path:
        """Held by the one supervisor."""
        return self.folder / "supervisor.lock"

    @property
    def timings(self) -> Path:
        """How long each component took to start last time."""
        return self.folder / "timings.json"

    @property
    def supervisor_log(self) -> Path:
        return self.layout.logs / "supervisor.log"
