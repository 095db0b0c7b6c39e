"""The control API as an ASGI application."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from stack.api.errors import ApiError, on_api_error, on_failure, on_http_error
from stack.api.guard import Guard, Token


def create_app(routes: Sequence[BaseRoute], token: Token | None, secret_path: str) -> Starlette:
    """`routes` behind the guard; every error comes out as `{"error": {...}}`."""
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, token=token, secret_path=secret_path)],
        exception_handlers={ApiError: on_api_error, HTTPException: on_http_error, Exception: on_failure},
    )
