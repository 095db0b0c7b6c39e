"""Watches the fleet's target file, which its owner replaces atomically."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from stack.model.target import Target, TargetFileError, decode

log = logging.getLogger(__name__)


class TargetFile:
    """The file's targets as of its last good version.

    A missing file means no targets yet at the start; once read, a file that vanishes or is malformed
    changes nothing, since only a well-formed file says that an engine left. Either is logged once. `foreign`: written for
    Prometheus alone.
    """

    def __init__(self, path: Path, *, foreign: bool = False) -> None:
        self._path = path
        self._foreign = foreign
        self._seen: tuple[int, int, int] | None = None
        self._broken: tuple[int, int, int] | None = None
        self._fault: str | None = None

    @property
    def fault(self) -> str | None:
        """Why it could not be read when it was last looked at, in one line; None when it could."""
        return self._fault

    @property
    def readable(self) -> bool:
        """It was there, and well-formed, when it was last looked at."""
        return self._seen is not None and self._fault is None

    def changed(self) -> list[Target] | None:
        """The targets when the file is new or changed and well-formed, else None."""
        try:
            stat = self._path.stat()
            seen = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
            if seen == self._broken:
                return None
            targets = None if seen == self._seen else _read(self._path, self._foreign)
        except TargetFileError as error:
            self._broken, self._fault = seen, _fault(self._path, error)
            log.warning("target file unreadable", extra={"path": str(self._path), "error": str(error)})
            return None
        except OSError as error:
            before, self._broken, self._fault = self._fault, None, _fault(self._path, error)
            if self._fault != before:  # it is looked at every second
                log.warning("target file unreadable", extra={"path": str(self._path), "error": str(error)})
            return None
        self._seen, self._broken, self._fault = seen, None, None
        return targets

    async def watch(self, interval_seconds: float, on_change: Callable[[list[Target]], None]) -> None:
        """Call `on_change` with the targets now and after each change, for ever."""
        while True:
            if (targets := self.changed()) is not None:
                on_change(targets)
            await asyncio.sleep(interval_seconds)


def check(path: Path) -> None:
    """That it is there and well-formed now. Raises TargetFileError with one line that names it."""
    try:
        _read(path, foreign=False)
    except (OSError, TargetFileError) as error:
        raise TargetFileError(_fault(path, error)) from error


def _read(path: Path, foreign: bool) -> list[Target]:
    return decode(path.read_bytes(), foreign=foreign, as_yaml=path.suffix in {".yml", ".yaml"})


def _fault(path: Path, error: OSError | TargetFileError) -> str:
    return f"{path}: {error.strerror or error}" if isinstance(error, OSError) else f"{path}: {error}"
