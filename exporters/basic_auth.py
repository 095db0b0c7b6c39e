"""Asks for a user and a password before the exporter's pages."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Mapping

import bcrypt
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

# No password's hash: what a user that does not exist is compared with, which then takes as long as any.
_NOBODY = "$2b$10$" + "." * 53
_REMEMBERED = 100


class BasicAuth:
    """Lets in who knows a password. `users` are bcrypt hashes by user; /healthz, which says nothing, is open.

    A hash takes a tenth of a second of CPU by design, so who was let in is remembered, by a digest.
    """

    def __init__(self, app: ASGIApp, users: Mapping[str, str]) -> None:
        self._app = app
        self._users = users
        self._let_in: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == "/healthz" or await self._knows(Request(scope).headers.get("authorization")):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse("unauthorized\n", 401, {"www-authenticate": 'Basic realm="kvdeck exporter"'})
        await refusal(scope, receive, send)

    async def _knows(self, header: str | None) -> bool:
        user, password = _credentials(header)
        if user is None:
            return False
        hashed = self._users.get(user, _NOBODY)
        digest = hashlib.sha256(b"\0".join((user.encode(), hashed.encode(), password))).digest()
        if digest in self._let_in:
            return True
        if not await asyncio.to_thread(_matches, password, hashed):
            return False
        if len(self._let_in) >= _REMEMBERED:
            self._let_in.clear()
        self._let_in.add(digest)
        return True


def _matches(password: bytes, hashed: str) -> bool:
    try:
        return bcrypt.checkpw(password, hashed.encode())
    except ValueError:  # a malformed hash, or a password beyond bcrypt's 72 bytes
        return False


def _credentials(header: str | None) -> tuple[str | None, bytes]:
    scheme, _, encoded = (header or "").partition(" ")
    if scheme.lower() != "basic":
        return None, b""
    try:
        user, colon, password = base64.b64decode(encoded, validate=True).partition(b":")
        return (user.decode(), password) if colon else (None, b"")
    except (binascii.Error, UnicodeDecodeError):
        return None, b""
