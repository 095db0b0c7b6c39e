"""Files of tokens: read, and watched for changes."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from stack.adapters.bearer import TokenFileError
from stack.adapters.plain_yaml import PlainYamlError, parse, read
from stack.control.access import Grant, Grants

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read_grants(path: Path) -> tuple[Grant, ...]:
    """The tokens in the file at `path`. Raises TokenFileError: also where others may write to it, for they could let anybody in."""
    try:
        mode = path.stat().st_mode
        grants = msgspec.convert(parse(read(path)), Grants).tokens
    except (OSError, PlainYamlError, msgspec.ValidationError) as error:
        raise TokenFileError(f"the token file {path} cannot be read: {error}") from error
    if mode & _WRITABLE_BY_OTHERS:
        raise TokenFileError(f"others may write to the token file {path}: chmod go-w {path}")
    _require_unique(grants, str(path))
    return grants


class TokenFiles:
    """The tokens of several files, read again when one changes; a file that went bad leaves them as they were.

    `clock` is in seconds. Raises TokenFileError at the start, when there is nothing to go on with.
    """

    def __init__(self, paths: Sequence[Path], clock: Callable[[], float]) -> None:
        self._paths, self._clock = tuple(paths), clock
        self._seen, self._looked = self._signatures(), clock()
        self._grants = self._read()
        self.faults = 0

    def grants(self) -> tuple[Grant, ...]:
        """The tokens now; files are looked at once a second at most."""
        now = self._clock()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            self._look()
        return self._grants

    def _look(self) -> None:
        signatures = self._signatures()
        if signatures == self._seen:
            return
        self._seen = signatures
        try:
            self._grants = self._read()
        except TokenFileError as error:
            self.faults += 1
            log.error("token files not reloaded", extra={"detail": str(error)})
        else:
            log.info("token files reloaded", extra={"tokens": len(self._grants)})

    def _read(self) -> tuple[Grant, ...]:
        grants = tuple(grant for path in self._paths for grant in read_grants(path))
        _require_unique(grants, " and ".join(map(str, self._paths)))
        return grants

    def _signatures(self) -> list[tuple[int, int, int] | None]:
        return [_signature(path) for path in self._paths]


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _require_unique(grants: Sequence[Grant], where: str) -> None:
    names = [grant.name for grant in grants]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TokenFileError(f"two tokens are named {twice} in {where}: the audit log could not tell them apart")
