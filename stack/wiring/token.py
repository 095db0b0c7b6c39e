"""`kvdeck token`: makes tokens, lists them and takes them back; of a secret only its hash is kept."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec
import yaml

from stack.adapters.bearer import TokenFileError
from stack.adapters.token_file import read_grants
from stack.control.access import Grant, Grants, Role, digest
from stack.local.atomic_file import replace_file

_PREFIX = "kvdeck_"  # so that scanners for leaked secrets can know one
_BYTES = 32
_OWNER_ONLY = 0o600


def new(path: Path, name: str, role: Role) -> str:
    """Adds a token named `name` to the file at `path`, made when missing, and gives its secret, which is nowhere else.

    Raises TokenFileError, also for a name that is taken.
    """
    grants = read_grants(path) if path.exists() else ()
    if any(grant.name == name for grant in grants):
        raise TokenFileError(f"{path} has a token named {name}: revoke it first, or take another name")
    secret = secret_token()
    try:
        grant = msgspec.convert({"name": name, "role": role, "sha256": digest(secret)}, Grant)
    except msgspec.ValidationError as error:
        raise TokenFileError(f"{name!r} is no name of a token: letters, digits and ._@- only, 64 at most") from error
    write(path, (*grants, grant))
    return secret


def new_file(out: Path, path: Path, name: str, role: Role) -> None:
    """The same with the secret in a new file `out`, for its owner alone. Raises TokenFileError, also where there is such a file."""
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)  # before the token is made: it may not be lost
    except OSError as error:
        raise TokenFileError(f"{out} cannot be made: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{new(path, name, role)}\n")
    except BaseException:
        out.unlink()
        raise


def revoke(path: Path, name: str) -> None:
    """Takes the token out of the file; a running control follows within a second. Raises TokenFileError."""
    grants = read_grants(path)
    kept = [grant for grant in grants if grant.name != name]
    if len(kept) == len(grants):
        raise TokenFileError(f"{path} has no token named {name}: it has {', '.join(grant.name for grant in grants) or 'none'}")
    write(path, kept)


def write(path: Path, grants: Sequence[Grant]) -> None:
    """Replaces the file at `path`, for its owner alone. Raises TokenFileError."""
    text = yaml.safe_dump(msgspec.to_builtins(Grants(tokens=tuple(grants))), sort_keys=False)
    try:
        replace_file(path, text.encode(), _OWNER_ONLY)
    except OSError as error:
        raise TokenFileError(f"the token file {path} cannot be written: {error}") from error


def secret_token() -> str:
    """A new secret: 256 random bits."""
    return f"{_PREFIX}{secrets.token_urlsafe(_BYTES)}"
