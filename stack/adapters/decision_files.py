"""Decisions in files: one JSON document a line, a new file by size and age, the oldest removed; a full disk is counted."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from threading import Lock

from stack.control.ports import LogState

LINES, PARQUET = "jsonl", "parquet"
PREFIX = "decisions-"
MIB = 1 << 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """When a file is closed and how many bytes all of them may take together. Times are seconds."""

    file_bytes: int = 64 * MIB
    file_seconds: float = 3600.0
    total_bytes: int = 2048 * MIB
    waiting_bytes: int = 16 * MIB  # in memory, while the disk is slow
    write_seconds: float = 1.0


class DecisionFiles:
    """`stack.control.ports.DecisionLog` in a folder. `pack` makes the final file of a closed one, and may take its time.

    Lines are written by a thread, about once a second. The file in use is always lines: what a crash leaves is readable, and
    packed at the next start. `wall` is Unix seconds.
    """

    def __init__(
        self, folder: Path, wall: Callable[[], float], rotation: Rotation, pack: Callable[[Path], None] | None = None
    ) -> None:
        self._folder, self._wall, self._rotation, self._pack = folder, wall, rotation, pack
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._writing = Lock()
        self._file: FileIO | None = None
        self._path = folder
        self._opened_at = 0.0
        self._written = self._lost = 0
        self._error: str | None = None

    def offer(self, documents: Sequence[bytes]) -> None:
        """Take documents for the next write; beyond `waiting_bytes` they are lost, counted."""
        size = sum(map(len, documents))
        if self._waiting_bytes + size > self._rotation.waiting_bytes:
            self._lost += len(documents)
            return
        self._waiting += documents
        self._waiting_bytes += size

    def state(self) -> LogState:
        """How it goes."""
        kind = LINES if self._pack is None else PARQUET
        return LogState(folder=str(self._folder), format=kind, written=self._written, lost=self._lost, error=self._error)

    async def run(self) -> None:
        """Write until cancelled, and then what is left."""
        try:
            await asyncio.to_thread(self._guarded, self._begin)
            while True:
                await asyncio.sleep(self._rotation.write_seconds)
                await asyncio.to_thread(self.write, self.taken())
        finally:
            self.write(self.taken())
            self.close()

    def taken(self) -> list[bytes]:
        """What waits, which now is the caller's to write."""
        documents, self._waiting, self._waiting_bytes = self._waiting, [], 0
        return documents

    def write(self, documents: list[bytes]) -> None:
        """Write `documents`, and begin a new file when this one is over. In any thread, one at a time."""
        with self._writing:
            if documents:
                if self._guarded(lambda: self._append(b"\n".join(documents) + b"\n")):
                    self._written += len(documents)
                else:
                    self._lost += len(documents)
            if self._file is not None and self._is_over(self._file):
                self._guarded(self._rotate)

    def close(self) -> None:
        """Close the file in use; it is packed at the next start."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _append(self, text: bytes) -> None:
        file = self._file or self._open()
        whole = file.tell()
        try:
            rest = memoryview(text)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            self._file = None
            file.close()
            os.truncate(self._path, whole)  # half a line would spoil the next one
            raise

    def _open(self) -> FileIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._opened_at = self._wall()
        moment = datetime.fromtimestamp(self._opened_at, UTC)
        self._path = self._folder / f"{PREFIX}{moment:%Y%m%dT%H%M%S.%f}Z.{LINES}"
        self._file = FileIO(self._path, "ab")
        return self._file

    def _is_over(self, file: FileIO) -> bool:
        return file.tell() >= self._rotation.file_bytes or self._wall() - self._opened_at >= self._rotation.file_seconds

    def _begin(self) -> None:
        """What an earlier life left as lines is packed now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        if self._pack is not None:
            for left in sorted(self._folder.glob(f"{PREFIX}*.{LINES}")):
                self._pack(left)

    def _rotate(self) -> None:
        self.close()
        if self._pack is not None:
            self._pack(self._path)
        self._make_room()

    def _make_room(self) -> None:
        kept = 0
        for path in sorted(self._folder.glob(f"{PREFIX}*"), reverse=True):
            kept += path.stat().st_size
            if kept > self._rotation.total_bytes:
                path.unlink()

    def _guarded(self, step: Callable[[], None]) -> bool:
        """Whether `step` went well; a failure is told once, and stays visible until something goes well."""
        try:
            step()
        except Exception as error:  # whatever a disk or a file of another version brings: control goes on
            if self._error is None:
                log.warning("decisions are not written", extra={"folder": str(self._folder), "error": str(error)})
            self._error = str(error)
            return False
        self._error = None
        return True
