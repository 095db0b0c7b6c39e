"""What a file says is desired: read at the start, or followed."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from stack.adapters.plain_yaml import PlainYamlError, parse, read
from stack.control.mode import ControlSection
from stack.control.refusal import RefusedError
from stack.control.skew import configured
from stack.control.state import Desired
from stack.control.valid import converted

log = logging.getLogger(__name__)


class DesiredFileError(ValueError):
    """The file does not say what is desired; the message is one line that names it."""


def read_desired(path: Path) -> Desired:
    """The `desired:` section of a YAML file, of this release's `schema:` or a newer one's; other sections are for others.

    Raises DesiredFileError.
    """
    return _desired(path, _read(path))


def read_control(path: Path) -> ControlSection:
    """The `control:` section of a YAML file. Raises DesiredFileError."""
    document = _parsed(path, _read(path))
    section = document.get("control", {}) if isinstance(document, dict) else {}
    try:
        return msgspec.convert(section, ControlSection)
    except msgspec.ValidationError as error:
        raise DesiredFileError(f"{path}, 'control:': {error}") from error


class DesiredFile:
    """The file at `path` over time; whatever swaps it, a link to another folder included, is seen by what is in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text: bytes | None = None
        self._found: Desired | DesiredFileError | None = None

    def now(self) -> Desired:
        """What it says, read anew. Raises DesiredFileError."""
        text = _read(self._path)
        if self._found is None or text != self._text:
            self._text, self._found = text, _tried(self._path, text)
        if isinstance(self._found, DesiredFileError):
            raise self._found
        return self._found


def _tried(path: Path, text: bytes) -> Desired | DesiredFileError:
    try:
        return _desired(path, text)
    except DesiredFileError as error:
        return error


def _read(path: Path) -> bytes:
    try:
        return read(path)
    except PlainYamlError as error:
        raise DesiredFileError(f"{path} cannot be read: {error}") from error


def _parsed(path: Path, text: bytes) -> object:
    try:
        return parse(text)
    except PlainYamlError as error:
        raise DesiredFileError(f"{path} cannot be read: {error}") from error


def _desired(path: Path, text: bytes) -> Desired:
    document = _parsed(path, text)
    if not isinstance(document, dict) or "desired" not in document:
        raise DesiredFileError(f"{path} has no 'desired:' section")
    try:
        desired, ignored = configured(document)
    except msgspec.ValidationError as error:
        raise DesiredFileError(f"{path}, 'desired:': {_where(document['desired']) or error}") from error
    if ignored:
        log.warning("fields of a newer release are ignored", extra={"file": str(path), "fields": ", ".join(ignored)})
    return desired


def _where(desired: object) -> str | None:
    """What is wrong in a model's state, with the field's whole path; None where it is wrong elsewhere."""
    models = desired.get("models") if isinstance(desired, dict) else None
    for name, state in models.items() if isinstance(models, dict) else ():
        try:
            converted(str(name), state)
        except RefusedError as error:
            return f"{error.field}: {error.message}"
    return None
