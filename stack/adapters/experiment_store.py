"""Experiments beside the audit log, in the same SQLite file: each as it is now, for the log tells how it came to be."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

import msgspec

from stack.adapters.audit_store import add_record
from stack.adapters.sqlite_file import SqliteFile
from stack.control.audit import AuditRecord
from stack.control.experiment import Experiment
from stack.control.tally import Tally

_SCHEMA = """
CREATE TABLE IF NOT EXISTS experiment (id TEXT PRIMARY KEY, began REAL NOT NULL, document TEXT NOT NULL, tally TEXT NOT NULL);
"""


class SqliteExperiments:
    """`stack.control.ports.ExperimentStore`."""

    def __init__(self, file: SqliteFile) -> None:
        """Raises StoreError."""
        self._file = file
        file.add(_SCHEMA)

    async def keep(self, experiment: Experiment, tally: Tally, record: AuditRecord | None) -> None:
        row = (experiment.id, experiment.began_at, msgspec.json.encode(experiment).decode(), msgspec.json.encode(tally).decode())

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO experiment VALUES (?, ?, ?, ?)", row)
            if record is not None:
                add_record(db, record)

        await self._file.do(write)

    async def newest(self, limit: int) -> tuple[Experiment, ...]:
        def read(db: sqlite3.Connection) -> tuple[Experiment, ...]:
            rows = db.execute("SELECT document FROM experiment ORDER BY began DESC LIMIT ?", (limit,))
            return tuple(_readable(text for (text,) in rows))

        return await self._file.do(read)

    async def one(self, name: str) -> tuple[Experiment, Tally] | None:
        def read(db: sqlite3.Connection) -> tuple[Experiment, Tally] | None:
            row = db.execute("SELECT document, tally FROM experiment WHERE id = ?", (name,)).fetchone()
            return None if row is None else (msgspec.json.decode(row[0], type=Experiment), msgspec.json.decode(row[1], type=Tally))

        return await self._file.do(read)


def _readable(texts: Iterable[str]) -> Iterator[Experiment]:
    for text in texts:
        try:
            yield msgspec.json.decode(text, type=Experiment)
        except msgspec.ValidationError:  # of another release: it is not lost, only not told
            continue
