"""One control a state directory: a lock that the kernel lets go of however its holder ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack.control.ports import StoreError

FILE = "control.lock"


@contextmanager
def only_control(folder: Path) -> Iterator[None]:
    """Holds `folder`, made where it is missing, during the block; children do not inherit it.

    Raises StoreError where another process has it, or where it cannot be held.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / FILE).open("a")
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {error}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"another control keeps its state in {folder}: end it, or give --state-dir another folder") from None
        except OSError as error:
            raise StoreError(f"{folder} cannot be locked: {error}") from error
        yield
