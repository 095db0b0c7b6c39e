"""One SQLite file and the one thread that works on it: the loop never waits for a disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from stack.control.ports import StoreError

T = TypeVar("T")

WAL_BYTES = 8 << 20  # SQLite writes it back from 1,000 pages (4 MiB) on; what a long reader made of it is cut to this


class SqliteFile:
    """Each piece of work is a transaction that is on disk, or undone, when it returns."""

    def __init__(self, path: Path, schema: str, committed: Callable[[sqlite3.Connection], None] | None = None) -> None:
        """Open or create it; `schema` must bear being carried out again. Raises StoreError.

        `committed` is called in the thread, once the file is open and after each transaction, and must not fail.
        """
        self._name = path.name
        self._committed = committed
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=path.stem)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._thread.submit(_open, path, schema).result()
            if committed is not None:
                self._thread.submit(committed, self._db).result()
        except (OSError, sqlite3.Error) as error:
            self._thread.shutdown()
            raise StoreError(f"{path} cannot be opened: {error}") from error

    def add(self, schema: str) -> None:
        """Another part's tables, beside what is there. Raises StoreError."""
        try:
            self._thread.submit(self._db.executescript, schema).result()
        except sqlite3.Error as error:
            raise StoreError(f"{self._name}: {error}") from error

    async def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns. Raises StoreError; then nothing of it was kept."""

        def transaction() -> T:
            with self._db:
                done = work(self._db)
            if self._committed is not None:
                self._committed(self._db)
            return done

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, transaction)
        except (sqlite3.Error, msgspec.DecodeError, RuntimeError) as error:  # RuntimeError: the thread has been shut down
            raise StoreError(f"{self._name}: {error}") from error

    def close(self) -> None:
        """Finish what was begun and let go of the file."""
        self._thread.submit(self._db.close).result()
        self._thread.shutdown()


def _open(path: Path, schema: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=True)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
    db.executescript(schema)
    return db
