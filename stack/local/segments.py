"""Shared-memory segments of our processes. Engines name theirs at random and leave them when they are killed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil

SHARED_MEMORY = Path("/dev/shm")
_INODE, _PATH = 4, 5  # of the fields of a line of /proc/PID/maps


def mapped(pids: Iterable[int]) -> frozenset[str]:
    """Names under /dev/shm that the processes have mapped; those that ended or are not ours have none.

    Told by inode: a semaphore is made under another name than it is found by, and that is the one its maker maps.
    """
    names = _names()
    inodes = {inode for pid in pids for inode in _inodes(pid)} if names else set()
    return frozenset(name for inode, name in names.items() if inode in inodes)


def remove(names: Iterable[str]) -> None:
    """Unlinks those of `names` that still exist and that no living process maps."""
    left = {name for name in names if (SHARED_MEMORY / name).exists()}
    if left:
        for name in left - mapped(psutil.pids()):
            (SHARED_MEMORY / name).unlink(missing_ok=True)


def _names() -> dict[int, str]:
    """Every segment of the machine by inode; none where there is no /dev/shm (and so no real engine)."""
    try:
        return {path.lstat().st_ino: path.name for path in SHARED_MEMORY.iterdir()}
    except OSError:
        return {}


def _inodes(pid: int) -> Iterator[int]:
    try:
        lines = Path(f"/proc/{pid}/maps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        fields = line.split(maxsplit=_PATH)
        if len(fields) > _PATH and fields[_PATH].startswith(f"{SHARED_MEMORY}/"):
            yield int(fields[_INODE])
