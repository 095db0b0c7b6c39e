"""A lock file that the kernel releases whenever its holder ends, however it ends. Standard library only: the bootstrap uses it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(lock: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds `lock` during the block; calls `waiting` once if another process holds it, then waits for that one.

    Programs started in the block keep it too, so that a second run waits for a pip that outlived its killed parent.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)
        yield
