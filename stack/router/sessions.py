"""Whose conversation a request belongs to, without ever keeping the name a client gave it."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

import msgspec

from stack.control.session_key import Place, SessionKey
from stack.router.message import Request
from stack.router.openai import ParsedBody

SECRET_BYTES = 32
# A client's key may be anything; no honest one is longer.
KEY_BYTES_MAX = 1024


class SessionPlaces(msgspec.Struct, frozen=True):
    """Where to look for a session: `keys` in their order, `fields` of the body and `headers` (with the cookies') among them."""

    keys: tuple[SessionKey, ...] = ()
    fields: frozenset[str] = frozenset()
    headers: frozenset[bytes] = frozenset()

    @classmethod
    def of(cls, keys: Iterable[SessionKey]) -> SessionPlaces:
        """The places that `keys` name."""
        keys = tuple(keys)
        names = {b"cookie" if key.place is Place.COOKIE else key.name.encode() for key in keys if key.place is not Place.BODY}
        return cls(keys, frozenset({key.name for key in keys if key.place is Place.BODY}), frozenset(names))


NO_PLACES = SessionPlaces()


class Sessions:
    """Turns a client's session key into a keyed hash: equal keys stay equal, and nobody can read them back."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def key(self, request: Request, parsed: ParsedBody, places: SessionPlaces) -> str | None:
        """The session of a request: by the first key of `places` that it has. None when it has none of them."""
        if places.fields.isdisjoint(parsed.fields) and request.headers.has_none(places.headers):
            return None
        for key in places.keys:
            if named := _named(request, parsed, key):
                return self._hashed(named)
        return None

    def drawn(self, lot: str) -> bytes:
        """A number that nobody chooses, the same for equal lots at every router that has this secret."""
        return hmac.digest(self._secret, lot.encode(), "sha256")

    def _hashed(self, name: bytes) -> str:
        return hmac.digest(self._secret, name[:KEY_BYTES_MAX], "sha256").hex()[:32]


def _named(request: Request, parsed: ParsedBody, key: SessionKey) -> bytes | None:
    if key.place is Place.BODY:
        text = parsed.text(key.name)
        return None if text is None else text.encode("utf-8", "replace")
    if key.place is Place.HEADER:
        return request.headers.first(key.name.encode())
    cookies = request.headers.first(b"cookie")
    return None if cookies is None else _cookie(cookies, key.name.encode())


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
