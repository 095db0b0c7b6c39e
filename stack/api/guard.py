"""Who may talk to control: whoever has a token, or, without any, only this machine and no web page on it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stack.api.errors import error_response
from stack.api.permit import GATE, GRANT, OPEN_PATHS, STANDING, Passing
from stack.api.refusal import Refusal, Refused
from stack.control.access import ANYBODY, Grant, granted
from stack.control.reporting_path import reporter

Granting = Callable[[], Sequence[Grant]]

_UNAUTHORIZED = 401


class NotLoopbackError(ValueError):
    """Control would listen to the network without tokens or in clear text."""


def loopback(host: str) -> bool:
    """Whether `host` (a name or an address, IPv6 with or without brackets) is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def check_listen(host: str, *, tokens: bool, tls: bool, insecure: bool = False) -> None:
    """Raises NotLoopbackError when `host` is open to others without `tokens`, or without `tls` unless `insecure` says so."""
    if loopback(host):
        return
    if not tokens:
        raise NotLoopbackError(f"control steers the fleet: to listen on {host} it needs --tokens FILE (or use --listen 127.0.0.1)")
    if not tls and not insecure:
        raise NotLoopbackError(
            f"tokens would cross the network in clear text: to listen on {host} give --tls-cert and --tls-key,"
            " or --insecure where something in front of control encrypts"
        )


class Guard:
    """ASGI middleware that says who asks, or refuses; what they may do is the routes' business. `grants` None: no tokens.

    `refused` hears of everybody who is turned away; `gate` is asked by routes that change something.
    """

    def __init__(self, app: ASGIApp, grants: Granting | None, refused: Refused, gate: Passing) -> None:
        self._app, self._grants, self._refused, self._gate = app, grants, refused, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return

        known = self._known(scope)
        if isinstance(known, Response):
            self._refused(Refusal.UNAUTHORIZED if known.status_code == _UNAUTHORIZED else Refusal.FORBIDDEN)
            await known(scope, receive, send)
            return
        grant, path = known

        def standing() -> bool:
            return self._known(scope) == known

        told = {GRANT: grant, STANDING: standing, GATE: self._gate}
        await self._app({**scope, "path": path, **told}, receive, send)

    def _known(self, scope: Scope) -> tuple[Grant, str] | Response:
        """Who asks, and for which path."""
        headers = Headers(scope=scope)
        if self._grants is None:
            return _from_a_web_page(headers) or (ANYBODY, scope["path"])
        grants = self._grants()
        if (reporting := reporter(scope["path"], grants)) is not None:
            return reporting
        if (grant := granted(grants, headers.get("authorization"))) is not None:
            return grant, scope["path"]
        refusal = error_response(_UNAUTHORIZED, Refusal.UNAUTHORIZED, "a valid bearer token is needed: Authorization: Bearer ...")
        refusal.headers["WWW-Authenticate"] = "Bearer"
        return refusal


def _from_a_web_page(headers: Headers) -> Response | None:
    """Without tokens the network address is the only protection, and a browser on this machine has it too.

    A page from elsewhere betrays itself by Origin, one that rebinds its own name to 127.0.0.1 by Host.
    """
    if "origin" in headers:
        return error_response(403, Refusal.FORBIDDEN, "no requests from web pages: control has no tokens")
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if not loopback(host):
        return error_response(403, Refusal.FORBIDDEN, "without tokens control answers to localhost and 127.0.0.1 only")
    return None
