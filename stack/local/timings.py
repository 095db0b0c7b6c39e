"""How long components took to start last time: what a progress bar is measured against."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stack.local.atomic_file import replace_file


class Timings:
    """Seconds from start to readiness, by component and by kind, kept in `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds = _read(path)

    def expected(self, name: str, kind: str) -> float | None:
        """What `name`, or else anything of its `kind`, took last time; None when none ever started."""
        return self._seconds.get(name, self._seconds.get(kind))

    def record(self, name: str, kind: str, seconds: float) -> None:
        """`name` of `kind` took `seconds`."""
        self._seconds |= {name: round(seconds, 1), kind: round(seconds, 1)}
        replace_file(self._path, msgspec.json.encode(self._seconds))


def _read(path: Path) -> dict[str, float]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, float])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}  # only the bars' lengths depend on it
