"""Keeps log files small while processes go on writing to them."""

from __future__ import annotations

import shutil
from pathlib import Path

LIMIT_BYTES = 20_000_000


def start_afresh(folder: Path) -> None:
    """Sets the logs of an earlier run aside, as NAME.log.1."""
    for log in folder.glob("*.log"):
        if log.stat().st_size:
            log.replace(_older(log))


def rotate(folder: Path, limit: int = LIMIT_BYTES) -> None:
    """Copies every log larger than `limit` bytes to NAME.log.1 and empties it.

    Writers hold the file open for appending, so they go on at its new end; what they write between the copy and the
    cut is lost, a few lines at most. Taking their output through a pipe instead would end them with the supervisor.
    """
    for log in folder.glob("*.log"):
        if log.stat().st_size > limit:
            shutil.copyfile(log, _older(log))
            with log.open("r+b") as file:
                file.truncate(0)


def _older(log: Path) -> Path:
    return log.with_name(f"{log.name}.1")
