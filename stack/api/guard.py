"""Who may talk to control: whoever has the token, or, without one, only this machine and no web page on it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stack.adapters.bearer import authorized
from stack.api.errors import error_response

OPEN_PATHS = frozenset({"/health", "/metrics"})  # numbers for probes and Prometheus; nothing can be changed there


class NotLoopbackError(ValueError):
    """Control would listen to the network without a token."""


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token; `name` is who acts when the request does not say."""

    name: str
    secret: str


def loopback(host: str) -> bool:
    """Whether `host` (a name or an address, IPv6 with or without brackets) is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def check_listen(host: str, token: Token | None) -> None:
    """Raises NotLoopbackError when `host` is open to others and there is no token."""
    if token is None and not loopback(host):
        raise NotLoopbackError(
            f"control steers the fleet: to listen on {host} it needs --token-file FILE (or use --listen 127.0.0.1)"
        )


class Guard:
    """ASGI middleware in front of every path but the open ones. What knows `secret_path` needs no token below it."""

    def __init__(self, app: ASGIApp, token: Token | None, secret_path: str) -> None:
        self._app, self._token, self._secret_path = app, token, f"{secret_path}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["path"] in OPEN_PATHS:
            return None
        if self._token is None:
            return _from_a_web_page(headers)
        if scope["path"].startswith(self._secret_path):
            return None
        if authorized(headers.get("authorization"), self._token.secret):
            return None
        refusal = error_response(401, "unauthorized", "a valid bearer token is needed: Authorization: Bearer ...")
        refusal.headers["WWW-Authenticate"] = "Bearer"
        return refusal


def _from_a_web_page(headers: Headers) -> Response | None:
    """Without a token the network address is the only protection, and a browser on this machine has it too.

    A page from elsewhere betrays itself by Origin, one that rebinds its own name to 127.0.0.1 by Host.
    """
    if "origin" in headers:
        return error_response(403, "forbidden", "no requests from web pages: control has no token set")
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if not loopback(host):
        return error_response(403, "forbidden", "without a token control answers to localhost and 127.0.0.1 only")
    return None
