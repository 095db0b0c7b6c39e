"""Shared-memory segments of our processes. Engines name theirs at random and leave them when they are killed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import psutil

SHARED_MEMORY = Path("/dev/shm")


def mapped(pids: Iterable[int]) -> frozenset[str]:
    """Names under /dev/shm that the processes have mapped; those that ended or are not ours have none."""
    return frozenset(name for pid in pids for name in _mapped_by(pid))


def remove(names: Iterable[str]) -> None:
    """Unlinks those of `names` that still exist and that no living process maps."""
    left = {name for name in names if (SHARED_MEMORY / name).exists()}
    if left:
        for name in left - mapped(psutil.pids()):
            (SHARED_MEMORY / name).unlink(missing_ok=True)


def _mapped_by(pid: int) -> Iterable[str]:
    prefix = f"{SHARED_MEMORY}/"
    try:
        lines = Path(f"/proc/{pid}/maps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    paths = (line.partition(prefix)[2] for line in lines if prefix in line)
    return {path.removesuffix(" (deleted)") for path in paths if "/" not in path}
