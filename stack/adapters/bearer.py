"""A bearer token of our own, read from a file."""

from __future__ import annotations

from pathlib import Path


class TokenFileError(ValueError):
    """The token file cannot be used; the message says which and why."""


def read_token(path: Path | None) -> str | None:
    """The token in the file at `path`, None without a path. Raises TokenFileError."""
    if path is None:
        return None
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise TokenFileError(f"the token file {path} cannot be read: {error}") from error
    if not token:
        raise TokenFileError(f"the token file {path} is empty")
    return token
