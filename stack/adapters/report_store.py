"""Reports of changes beside the audit log, in the same SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from stack.adapters.sqlite_file import SqliteFile
from stack.control.report import Report

KEPT = 1_000  # generations; some 3 kB each

_SCHEMA = """
CREATE TABLE IF NOT EXISTS report (
    generation INTEGER NOT NULL, model TEXT NOT NULL, report TEXT NOT NULL, PRIMARY KEY (generation, model)
);
"""


class SqliteReports:
    """`stack.control.ports.ReportStore`: those of the newest `kept` generations that have any."""

    def __init__(self, file: SqliteFile, kept: int = KEPT) -> None:
        """Raises StoreError."""
        self._file, self._kept = file, kept
        file.add(_SCHEMA)

    async def put(self, reports: Sequence[Report]) -> None:
        rows = [(one.generation, one.model, msgspec.json.encode(one).decode()) for one in reports]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO report VALUES (?, ?, ?)", rows)
            newest = "SELECT DISTINCT generation FROM report ORDER BY generation DESC LIMIT ?"
            db.execute(f"DELETE FROM report WHERE generation NOT IN ({newest})", (self._kept,))

        await self._file.do(write)

    async def of(self, generation: int) -> tuple[Report, ...]:
        def read(db: sqlite3.Connection) -> tuple[Report, ...]:
            rows = db.execute("SELECT report FROM report WHERE generation = ? ORDER BY model", (generation,))
            return tuple(msgspec.json.decode(text, type=Report) for (text,) in rows)

        return await self._file.do(read)
