"""Processes of a benchmark: pinned to their cores, their CPU time read, ended however the benchmark ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Self

import psutil

NOTHING: Mapping[str, str] = MappingProxyType({})
_LAST = 10
_GRACE_SECONDS = 10.0  # a router drains, a busy machine lets it wait


class ProcessError(Exception):
    """A process of the benchmark could not start, ended early or failed; the message says which and where its log is."""


class Pinned:
    """A running process with its descendants, all on the same cores, writing to `log`. `stop` ends them."""

    def __init__(self, name: str, argv: Sequence[str], cores: Sequence[int], log: Path, environment: Mapping[str, str]) -> None:
        self.name, self.log = name, log
        with log.open("ab") as written, on_cores(cores):
            try:
                self._process = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=written,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **environment},
                    start_new_session=True,  # so that Ctrl-C reaches only us, and we end them in order
                )
            except OSError as error:
                raise ProcessError(f"{name} cannot be started: {error}") from error

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def require_alive(self) -> None:
        """Raises ProcessError when it has ended."""
        if (status := self._process.poll()) is not None:
            raise ProcessError(f"{self.name} ended with status {status}: {self.log}")

    def cpu_seconds(self) -> float:
        """CPU time of the process and its descendants so far. Raises ProcessError."""
        try:
            own = psutil.Process(self._process.pid)
            return sum(sum(process.cpu_times()[:2]) for process in (own, *own.children(recursive=True)))
        except psutil.Error as error:
            raise ProcessError(f"{self.name} is gone: {self.log}") from error

    def resident_bytes(self) -> int:
        """Memory that the process and its descendants hold now. Raises ProcessError."""
        try:
            own = psutil.Process(self._process.pid)
            return sum(process.memory_info().rss for process in (own, *own.children(recursive=True)))
        except psutil.Error as error:
            raise ProcessError(f"{self.name} is gone: {self.log}") from error

    def give_way(self) -> None:
        """From now on the others on its cores come first."""
        with suppress(psutil.Error):  # it ended just now, which whoever needs it will see
            psutil.Process(self._process.pid).nice(_LAST)

    def signal(self, number: signal.Signals) -> None:
        """Send it to the process alone, not to its descendants."""
        self._process.send_signal(number)

    def stop(self) -> None:
        """SIGTERM, and SIGKILL to the whole session after a grace."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@dataclass(slots=True)
class Yard:
    """Where the processes of one benchmark are started; leaving the block ends them all, the last one first."""

    logs: Path
    _ends: ExitStack = field(default_factory=ExitStack)
    _started: list[Pinned] = field(default_factory=list)

    def start(self, name: str, argv: Sequence[str], cores: Sequence[int], environment: Mapping[str, str] = NOTHING) -> Pinned:
        """A process pinned to `cores`, with its log among the others and `environment` beside ours. Raises ProcessError."""
        process = Pinned(name, argv, cores, self.logs / f"bench-{name.replace(' ', '-')}.log", environment)
        self._ends.callback(process.stop)
        self._started.append(process)
        return process

    def cpu_seconds(self) -> float:
        """CPU time of all that was started here and still runs. Raises ProcessError."""
        return sum(process.cpu_seconds() for process in self._started if process.runs)

    def __enter__(self) -> Self:
        self.logs.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *error: object) -> None:
        self._ends.close()


def output_of(name: str, argv: Sequence[str], cores: Sequence[int], environment: Mapping[str, str], limit_seconds: float) -> str:
    """What the program prints, run to its end on `cores`. Raises ProcessError."""
    with on_cores(cores):
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, env={**os.environ, **environment}, timeout=limit_seconds, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProcessError(f"{name}: {error}") from error
    if done.returncode:
        raise ProcessError(f"{name} failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


@contextmanager
def on_cores(cores: Sequence[int]) -> Iterator[None]:
    """What this thread starts in the block inherits `cores` from its first instruction on."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def end_on_sigterm() -> None:
    """SIGTERM unwinds like Ctrl-C from now on, so that it, too, ends what was started."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
