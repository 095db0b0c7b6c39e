"""The desired state and the audit log in one SQLite file: both or neither, on disk before anyone is told."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from stack.adapters.sqlite_file import SqliteFile
from stack.control.audit import AuditRecord, Outcome
from stack.control.ports import Generation, Kept
from stack.control.skew import keeping
from stack.control.skew import kept as kept_state

log = logging.getLogger(__name__)

FILE = "control.db"
_LAST = 2**63 - 1
LIFE_MOST = 10_000_000  # versions that one life of control tells routers: a change each second for a third of a year

# Rows are only ever added; the triggers hold anybody to it who opens the file, this program included.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS state (generation INTEGER PRIMARY KEY, at REAL NOT NULL, desired TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit (sequence INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS audit_of ON audit (json_extract(record, '$.generation'), sequence);
CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS life (first INTEGER PRIMARY KEY);
CREATE TRIGGER IF NOT EXISTS state_kept BEFORE UPDATE ON state BEGIN SELECT RAISE(ABORT, 'state is append-only'); END;
CREATE TRIGGER IF NOT EXISTS state_whole BEFORE DELETE ON state BEGIN SELECT RAISE(ABORT, 'state is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_kept BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_whole BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
"""


class SqliteStore:
    """`stack.control.ports.Store` over `folder`/control.db."""

    def __init__(self, folder: Path, told: Callable[[AuditRecord], None] | None = None) -> None:
        """Open or create the file. `told` hears of each record once it is on disk, in another thread. Raises StoreError."""
        self._told = told
        self._last: int | None = None
        self._file = SqliteFile(folder / FILE, _SCHEMA, None if told is None else self._tell)

    @property
    def file(self) -> SqliteFile:
        """Where other parts of control may have tables, too."""
        return self._file

    async def load(self) -> Kept | None:
        return await self._file.do(_load)

    async def keep(self, kept: Kept, record: AuditRecord) -> None:
        desired = msgspec.json.encode(keeping(kept)).decode()

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO state (generation, at, desired) VALUES (?, ?, ?)", (kept.generation, record.at, desired))
            add_record(db, record)

        await self._file.do(write)

    async def note(self, record: AuditRecord) -> None:
        await self._file.do(lambda db: add_record(db, record))

    async def records(self, limit: int, before: int | None = None) -> tuple[AuditRecord, ...]:
        return await self._file.do(lambda db: _records(db, limit, before))

    async def generations(self, limit: int, before: int | None = None) -> tuple[Generation, ...]:
        return await self._file.do(lambda db: _generations(db, limit, before))

    async def document(self, generation: int) -> object | None:
        return await self._file.do(lambda db: _document(db, generation))

    async def knows(self, run: str) -> bool:
        """Whether this run of the stack has begun here before. Raises StoreError."""
        return await self._file.do(lambda db: db.execute("SELECT 1 FROM run WHERE id = ?", (run,)).fetchone() is not None)

    async def begin(self, run: str) -> None:
        """Remember that this run has begun. Raises StoreError."""
        await self._file.do(lambda db: db.execute("INSERT OR IGNORE INTO run VALUES (?)", (run,)))

    async def life(self, clock: int) -> int:
        """A number above all that an earlier life of control began with or counted up to: `clock`, unless it went back.

        Raises StoreError.
        """
        return await self._file.do(lambda db: _life(db, clock))

    def _tell(self, db: sqlite3.Connection) -> None:
        """Whoever added them: what is new in the log is told."""
        if self._last is None:
            self._last = db.execute("SELECT max(sequence) FROM audit").fetchone()[0] or 0
            return
        try:
            for record in _after(db, self._last):
                if self._told is not None:
                    self._told(record)
                self._last = record.sequence
        except (sqlite3.Error, msgspec.DecodeError) as error:  # what was kept is kept, told or not
            log.error("audit records not told", extra={"error": str(error)})

    def close(self) -> None:
        """Finish what was begun and let go of the file."""
        self._file.close()


def _load(db: sqlite3.Connection) -> Kept | None:
    row = db.execute("SELECT generation, desired FROM state ORDER BY generation DESC LIMIT 1").fetchone()
    if row is None:
        return None
    try:
        return kept_state(row[0], msgspec.json.decode(row[1], type=dict[str, object]))
    except msgspec.ValidationError as error:
        raise msgspec.DecodeError(f"generation {row[0]} was kept by another release and is not understood: {error}") from error


def _life(db: sqlite3.Connection, clock: int) -> int:
    last: int | None = db.execute("SELECT max(first) FROM life").fetchone()[0]
    first = clock if last is None else max(clock, last + LIFE_MOST)
    db.execute("INSERT INTO life VALUES (?)", (first,))
    return first


def add_record(db: sqlite3.Connection, record: AuditRecord) -> None:
    db.execute("INSERT INTO audit (record) VALUES (?)", (msgspec.json.encode(record).decode(),))


def _records(db: sqlite3.Connection, limit: int, before: int | None) -> tuple[AuditRecord, ...]:
    lower = _LAST if before is None else before
    rows = db.execute("SELECT sequence, record FROM audit WHERE sequence < ? ORDER BY sequence DESC LIMIT ?", (lower, limit))
    return tuple(_record(sequence, text) for sequence, text in rows)


def _after(db: sqlite3.Connection, last: int) -> Iterator[AuditRecord]:
    rows = db.execute("SELECT sequence, record FROM audit WHERE sequence > ? ORDER BY sequence", (last,))
    return (_record(sequence, text) for sequence, text in rows)


def _record(sequence: int, text: str) -> AuditRecord:
    return msgspec.structs.replace(msgspec.json.decode(text, type=AuditRecord), sequence=sequence)


# The record that was kept together with a generation is the first one of a change to it, or of the start that brought it.
# The plus takes the column's affinity away, without which SQLite would look through the whole index for each.
GENERATIONS = """
SELECT state.generation, state.at, audit.sequence, audit.record FROM state LEFT JOIN audit ON audit.sequence = (
  SELECT sequence FROM audit INDEXED BY audit_of
  WHERE json_extract(record, '$.generation') = +state.generation AND json_extract(record, '$.outcome') IN (?, ?)
  ORDER BY sequence LIMIT 1
) WHERE state.generation < ? ORDER BY state.generation DESC LIMIT ?
"""


def _generations(db: sqlite3.Connection, limit: int, before: int | None) -> tuple[Generation, ...]:
    rows = db.execute(GENERATIONS, (Outcome.APPLIED, Outcome.STARTED, _LAST if before is None else before, limit))
    return tuple(Generation(number, at, text and _record(sequence, text)) for number, at, sequence, text in rows)


def _document(db: sqlite3.Connection, generation: int) -> object | None:
    row = db.execute("SELECT desired FROM state WHERE generation = ?", (generation,)).fetchone()
    return None if row is None else msgspec.json.decode(row[0])
