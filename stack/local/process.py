"""Components that are processes of their own."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stack.local import segments, sessions
from stack.local.birth import birth
from stack.local.ledger import Entry, Ledger
from stack.local.spec import Stage, StartError

# What every process of one stack has in its environment, with the stack's digest: finds those whose leader died.
MARK = "KVDECK_STACK"
# After SIGKILL: how long the kernel may take.
_KILL_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What all processes of one stack share: where logs go, the ledger, and the environment they inherit."""

    logs: Path
    ledger: Ledger
    environment: Mapping[str, str]
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A process to start: SIGTERM ends it, and after `grace` seconds SIGKILL. `nice` and `cores` as the kernel means them."""

    host: Host
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    kind: str
    stage: Stage
    grace: float = 10.0
    nice: int = 0
    cores: tuple[int, ...] = ()
    url: str | None = None

    async def start(self, name: str) -> ChildProcess:
        """The process, in a session of its own, writing to its log. Raises StartError."""
        try:
            process = await self._spawn(name)
        except OSError as error:
            raise StartError(f"{self.argv[0]} cannot be started: {error.strerror}") from error
        try:
            self._place(process.pid)
            self._note(name, process.pid)
        except OSError as error:
            process.kill()
            raise StartError(f"{name} cannot be noted: {error}") from error
        return ChildProcess(name, process, self.host.ledger, self.grace)

    async def _spawn(self, name: str) -> asyncio.subprocess.Process:
        self.host.logs.mkdir(parents=True, exist_ok=True)
        with (self.host.logs / f"{name}.log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *self.argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.host.folder,
                env={**self.host.environment, **self.environment},
                start_new_session=True,
            )

    def _note(self, name: str, pid: int) -> None:
        began = birth(pid)
        if began is None:
            return  # it ended already, which wait() tells
        entry = Entry(
            name=name,
            kind=self.kind,
            pid=pid,
            birth=began,
            stage=self.stage,
            grace=self.grace,
            url=self.url,
        )
        self.host.ledger.began(entry)

    def _place(self, pid: int) -> None:
        """Right after the start, long before an interpreter has made a thread that would not inherit it."""
        with suppress(ProcessLookupError):
            if self.cores and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(pid, self.cores)
            if self.nice:
                os.setpriority(os.PRIO_PROCESS, pid, self.nice)


class ChildProcess:
    """One process and its descendants, which stay in its session."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, ledger: Ledger, grace: float) -> None:
        self._name, self._process, self._ledger, self._grace = name, process, ledger, grace

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self) -> str:
        """How it ended, once it did."""
        return told(await self._process.wait())

    async def stop(self) -> None:
        """SIGTERM to the process, which knows its children; SIGKILL to all of them after the grace; its segments go too."""
        if self._process.returncode is None:
            self.note_segments()
            self._process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._grace):
                    await self._process.wait()
        self.note_segments()
        with suppress(TimeoutError):
            async with asyncio.timeout(_KILL_SECONDS):
                await self._kill_rest()
        segments.remove(self._ledger.segments(self._name))
        self._ledger.ended(self._name)

    def note_segments(self) -> None:
        """Remembers the shared memory the processes have mapped now: once they are killed nothing else knows it."""
        self._ledger.holds(self._name, segments.mapped(sessions.members(self.pid)))

    async def _kill_rest(self) -> None:
        while (left := sessions.members(self.pid)) or self._process.returncode is None:
            sessions.kill(left)
            await asyncio.sleep(0.02)


def told(code: int) -> str:
    """An exit status in words."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
