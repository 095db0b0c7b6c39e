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
    changes nothing, since only a well-formed file says that an engine left. `foreign`: written for Prometheus alone.
    """

    def __init__(self, path: Path, *, foreign: bool = False) -> None:
        self._path = path
        self._foreign = foreign
        self._seen: tuple[int, int, int] | None = None
        self._broken: tuple[int, int, int] | None = None
        self._readable = False

    @property
    def readable(self) -> bool:
        """It was there, and well-formed, when it was last looked at."""
        return self._readable

    def changed(self) -> list[Target] | None:
        """The targets when the file is new or changed and well-formed, else None."""
        self._readable = False
        try:
            stat = self._path.stat()
            seen = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
            if seen in {self._seen, self._broken}:
                self._readable = seen == self._seen
                return None
            as_yaml = self._path.suffix in {".yml", ".yaml"}
            targets = decode(self._path.read_bytes(), foreign=self._foreign, as_yaml=as_yaml)
        except FileNotFoundError:
            return None
        except (OSError, TargetFileError) as error:
            self._broken = seen if isinstance(error, TargetFileError) else None
            log.warning("target file unreadable", extra={"path": str(self._path), "error": str(error)})
            return None
        self._seen, self._readable = seen, True
        return targets

    async def watch(self, interval_seconds: float, on_change: Callable[[list[Target]], None]) -> None:
        """Call `on_change` with the targets now and after each change, for ever."""
        while True:
            if (targets := self.changed()) is not None:
                on_change(targets)
            await asyncio.sleep(interval_seconds)
