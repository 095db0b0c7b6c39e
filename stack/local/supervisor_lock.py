"""One supervisor a checkout: a lock that the kernel lets go of however its holder ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunningError(Exception):
    """Another supervisor runs this checkout's stack."""


@contextmanager
def only_supervisor(lock: Path) -> Iterator[None]:
    """Holds `lock` during the block; children do not inherit it. Raises AlreadyRunningError."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunningError("another supervisor runs this stack: kvdeck status") from None
        yield
