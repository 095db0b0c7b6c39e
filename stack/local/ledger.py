"""What runs, on disk: so that `kvdeck down` finds it even after the supervisor was killed."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stack.local.atomic_file import replace_file
from stack.local.birth import birth


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One process that was started: it leads a session of its own. `segments` are its shared-memory names."""

    name: str
    pid: int
    birth: str
    kind: str
    stage: int
    grace: float
    url: str | None = None
    segments: tuple[str, ...] = ()

    @property
    def alive(self) -> bool:
        """Whether this very process still runs, not a later one with its pid."""
        return birth(self.pid) == self.birth


class Ledger:
    """The processes of one stack by name, written to `path` whenever they change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, Entry] = {}

    def began(self, entry: Entry) -> None:
        """Files `entry` under its name."""
        self._entries[entry.name] = entry
        self._write()

    def holds(self, name: str, segments: frozenset[str]) -> None:
        """Adds segments that `name` was seen with."""
        entry = self._entries.get(name)
        if entry is not None and not segments <= set(entry.segments):
            every = tuple(sorted(segments | set(entry.segments)))
            self.began(msgspec.structs.replace(entry, segments=every))

    def segments(self, name: str) -> frozenset[str]:
        """Every segment that `name` was seen with."""
        entry = self._entries.get(name)
        return frozenset(entry.segments if entry else ())

    def ended(self, name: str) -> None:
        """Nothing of `name` is left."""
        if self._entries.pop(name, None) is not None:
            self._write()

    def _write(self) -> None:
        replace_file(self._path, msgspec.json.format(msgspec.json.encode(list(self._entries.values()))), mode=0o600)


def read_ledger(path: Path) -> list[Entry]:
    """What a supervisor noted last; nothing when there is no such file or it cannot be understood."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Entry])
    except (FileNotFoundError, msgspec.DecodeError):
        return []
