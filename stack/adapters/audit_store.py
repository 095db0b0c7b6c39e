"""The desired state and the audit log in one SQLite file: both or neither, on disk before anyone is told."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from stack.adapters.sqlite_file import SqliteFile
from stack.control.audit import AuditRecord
from stack.control.ports import Kept
from stack.control.state import Desired

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
    """`stack.control.ports.Store` over `folder`/control.db."""

    def __init__(self, folder: Path) -> None:
        """Open or create the file. Raises StoreError."""
        self._file = SqliteFile(folder / FILE, _SCHEMA)

    async def load(self) -> Kept | None:
        return await self._file.do(_load)

    async def keep(self, kept: Kept, record: AuditRecord) -> None:
        desired = msgspec.json.encode(kept.desired).decode()

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO state VALUES (?, ?, ?)", (kept.generation, record.at, desired))
            _add(db, record)

        await self._file.do(write)

    async def note(self, record: AuditRecord) -> None:
        await self._file.do(lambda db: _add(db, record))

    async def records(self, limit: int) -> tuple[AuditRecord, ...]:
        return await self._file.do(lambda db: _records(db, limit))

    async def knows(self, run: str) -> bool:
        """Whether this run of the stack has begun here before. Raises StoreError."""
        return await self._file.do(lambda db: db.execute("SELECT 1 FROM run WHERE id = ?", (run,)).fetchone() is not None)

    async def begin(self, run: str) -> None:
        """Remember that this run has begun. Raises StoreError."""
        await self._file.do(lambda db: db.execute("INSERT OR IGNORE INTO run VALUES (?)", (run,)))

    def close(self) -> None:
        """Finish what was begun and let go of the file."""
        self._file.close()


def _load(db: sqlite3.Connection) -> Kept | None:
    row = db.execute("SELECT generation, desired FROM state ORDER BY generation DESC LIMIT 1").fetchone()
    return None if row is None else Kept(row[0], msgspec.json.decode(row[1], type=Desired))


def _add(db: sqlite3.Connection, record: AuditRecord) -> None:
    db.execute("INSERT INTO audit (record) VALUES (?)", (msgspec.json.encode(record).decode(),))


def _records(db: sqlite3.Connection, limit: int) -> tuple[AuditRecord, ...]:
    rows = db.execute("SELECT sequence, record FROM audit ORDER BY sequence DESC LIMIT ?", (limit,))
    return tuple(msgspec.structs.replace(msgspec.json.decode(text, type=AuditRecord), sequence=seq) for seq, text in rows)
