"""Whose conversation a request belongs to, without ever keeping the name a client gave it."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from stack.control.session_key import Place, SessionKey
from stack.router.message import Request
from stack.router.openai import ParsedBody

SECRET_BYTES = 32
# A client's key may be anything; no honest one is longer.
KEY_BYTES_MAX = 1024


class Sessions:
    """Turns a client's session key into a keyed hash: equal keys stay equal, and nobody can read them back."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def key(self, request: Request, parsed: ParsedBody, keys: Iterable[SessionKey]) -> str | None:
        """The session of a request: by the first of `keys` that it has. None when it has none of them."""
        headers, fields = request.headers, parsed.fields
        for key in keys:
            named: bytes | None
            if key.place is Place.BODY:
                text = fields.get(key.name)
                named = text.encode("utf-8", "replace") if isinstance(text, str) else None
            elif key.place is Place.HEADER:
                named = headers.first(key.name.encode())
            else:
                cookies = headers.first(b"cookie")
                named = None if cookies is None else _cookie(cookies, key.name.encode())
            if named:
                return self._hashed(named)
        return None

    def _hashed(self, name: bytes) -> str:
        return hmac.digest(self._secret, name[:KEY_BYTES_MAX], "sha256").hex()[:32]


def _cookie(header: bytes, wanted: bytes) -> bytes | None:
    for pair in header.split(b";"):
        name, _, value = pair.strip().partition(b"=")
        if name == wanted and value:
            return value.strip(b'"')
    return None


def secret_from(path: Path) -> bytes:
    """The secret in `path`; made, readable by its owner alone, when the file is missing. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(SECRET_BYTES))
    try:
        os.link(fresh, path)  # whole or not at all, and never over one that another router has just made
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_bytes()
