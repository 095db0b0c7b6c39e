"""Runs one program to its end with its output in a log. Standard library only: the bootstrap uses it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_POLL_SECONDS = 0.3


class ChildFailedError(Exception):
    """The program ended with another status than 0; `output` is all it said."""

    def __init__(self, status: int, output: str) -> None:
        super().__init__(f"it ended with status {status}")
        self.output = output


def run_logged(
    command: Sequence[str],
    log: Path,
    watch: Callable[[str], None] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> str:
    """Runs `command` in `folder`, appends what it prints to `log`, and returns that.

    `watch` is given what was printed so far, a few times a second. Raises ChildFailedError, or OSError when it cannot start.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as written:
        start = written.tell()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
            close_fds=False,  # so that it keeps an installation's lock if it outlives us; all other files close by themselves
        )
    try:
        while not _ended(process):
            if watch is not None:
                watch(_printed(log, start))
    finally:
        process.kill()  # interrupted: nothing may go on behind our back
        process.wait()
    if process.returncode:
        raise ChildFailedError(process.returncode, _printed(log, start))
    return _printed(log, start)


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _printed(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        return file.read().decode(errors="replace")
