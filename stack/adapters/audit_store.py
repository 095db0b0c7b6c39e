"""The desired state and the audit log in one SQLite file: both or neither, on disk before anyone is told."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from stack.control.audit import AuditRecord
from stack.control.ports import Kept, StoreError
from stack.control.state import Desired

T = TypeVar("T")

FILE = "control.db"

# Rows are only ever added; the triggers hold anybody to it who opens the file, this program included.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (generation INTEGER PRIMARY KEY, at REAL NOT NULL, desired TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit (sequence INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY);
CREATE TRIGGER IF NOT EXISTS state_kept BEFORE UPDATE ON state BEGIN SELECT RAISE(ABORT, 'state is append-only'); END;
CREATE TRIGGER IF NOT EXISTS state_whole BEFORE DELETE ON state BEGIN SELECT RAISE(ABORT, 'state is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_kept BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_whole BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
"""


class SqliteStore:
    """`stack.control.ports.Store` over `folder`/control.db. One thread does all the work: the loop never waits for a disk."""

    def __init__(self, folder: Path) -> None:
        """Open or create the file. Raises StoreError."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="audit-store")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = self._thread.submit(_open, folder / FILE).result()
        except (OSError, sqlite3.Error) as error:
            self._thread.shutdown()
            raise StoreError(f"{folder / FILE} cannot be opened: {error}") from error

    async def load(self) -> Kept | None:
        return await self._do(_load)

    async def keep(self, kept: Kept, record: AuditRecord) -> None:
        desired = msgspec.json.encode(kept.desired).decode()

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO state VALUES (?, ?, ?)", (kept.generation, record.at, desired))
            _add(db, record)

        await self._do(write)

    async def note(self, record: AuditRecord) -> None:
        await self._do(lambda db: _add(db, record))

    async def records(self, limit: int) -> tuple[AuditRecord, ...]:
        return await self._do(lambda db: _records(db, limit))

    async def knows(self, run: str) -> bool:
        """Whether this run of the stack has begun here before. Raises StoreError."""
        return await self._do(lambda db: db.execute("SELECT 1 FROM run WHERE id = ?", (run,)).fetchone() is not None)

    async def begin(self, run: str) -> None:
        """Remember that this run has begun. Raises StoreError."""
        await self._do(lambda db: db.execute("INSERT OR IGNORE INTO run VALUES (?)", (run,)))

    def close(self) -> None:
        """Finish what was begun and let go of the file."""
        self._thread.submit(self._db.close).result()
        self._thread.shutdown()

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def transaction() -> T:
            with self._db:
                return work(self._db)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, transaction)
        except (sqlite3.Error, msgspec.DecodeError, RuntimeError) as error:  # RuntimeError: the thread has been shut down
            raise StoreError(f"{FILE}: {error}") from error


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=True)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.executescript(_SCHEMA)
    return db


def _load(db: sqlite3.Connection) -> Kept | None:
    row = db.execute("SELECT generation, desired FROM state ORDER BY generation DESC LIMIT 1").fetchone()
    return None if row is None else Kept(row[0], msgspec.json.decode(row[1], type=Desired))


def _add(db: sqlite3.Connection, record: AuditRecord) -> None:
    db.execute("INSERT INTO audit (record) VALUES (?)", (msgspec.json.encode(record).decode(),))


def _records(db: sqlite3.Connection, limit: int) -> tuple[AuditRecord, ...]:
    rows = db.execute("SELECT sequence, record FROM audit ORDER BY sequence DESC LIMIT ?", (limit,))
    return tuple(msgspec.structs.replace(msgspec.json.decode(text, type=AuditRecord), sequence=seq) for seq, text in rows)
