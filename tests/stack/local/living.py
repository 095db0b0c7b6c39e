"""Small real processes and what surrounds them, for tests of whatever starts and stops processes."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stack.local.ledger import Ledger
from stack.local.process import Command, Host
from stack.local.spec import NotReadyError, Stage

SLEEPER = "import time; time.sleep(600)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
CRASHER = "import sys; sys.exit(3)"


def host(folder: Path, **environment: str) -> Host:
    """Logs and ledger under `folder`."""
    return Host(
        logs=folder / "logs",
        ledger=Ledger(folder / "processes.json"),
        environment={**os.environ, **environment},
        folder=folder,
    )


def python(host: Host, code: str, *, stage: Stage = Stage.SERVICE, grace: float = 5.0) -> Command:
    """A process that runs `code`."""
    return Command(host=host, kind="test", argv=(sys.executable, "-S", "-c", code), stage=stage, grace=grace)


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for what other processes do; fails when it does not come about."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # another process tells no event of ours
            await asyncio.sleep(0.01)


def until_now(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """The same without a loop."""
    patience = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < patience, "it did not come about in time"
        time.sleep(0.01)


@dataclass
class Obedient:
    """A probe that says what a test tells it: None is ready, else what is wrong."""

    fault: str | None = None
    asked: list[str] = field(default_factory=list)

    async def ready(self) -> None:
        self.asked.append("ready")
        self._answer()

    async def alive(self) -> None:
        self.asked.append("alive")
        self._answer()

    def _answer(self) -> None:
        if self.fault is not None:
            raise NotReadyError(self.fault)
