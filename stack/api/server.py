"""The control API as an ASGI application."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from stack.api.errors import ApiError, on_api_error, on_failure, on_http_error
from stack.api.guard import Granting, Guard
from stack.api.permit import Passing, Permitted
from stack.api.refusal import Refused


def create_app(routes: Sequence[Permitted], grants: Granting | None, refused: Refused, gate: Passing) -> Starlette:
    """`routes` behind the guard, which believes the tokens that `grants` gives, and anybody without it;
    those that change something are for `gate` to let pass.

    Every error comes out as `{"error": {...}}`.
    """
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, grants=grants, refused=refused, gate=gate)],
        exception_handlers={ApiError: on_api_error, HTTPException: on_http_error, Exception: on_failure},
    )
