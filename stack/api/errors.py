"""Answers that say no, all of one shape."""

from __future__ import annotations

import logging

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from stack.api.schema import ErrorDetail, ErrorView

log = logging.getLogger(__name__)

MESSAGE_MAX = 500  # what a client sent may be quoted back, but not at any length


class ApiError(Exception):
    """An answer that is not a success: HTTP `status`, a `code` for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field


def json_response(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`value` as JSON."""
    return Response(msgspec.json.encode(value), status, headers=headers, media_type="application/json")


def error_response(status: int, code: str, message: str, field: str | None = None) -> Response:
    """`{"error": {...}}` with HTTP `status`."""
    return json_response(ErrorView(error=ErrorDetail(code=code, message=clipped(message), field=field and clipped(field))), status)


async def on_api_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # registered for this type only
    return error_response(error.status, error.code, error.message, error.field)


async def on_http_error(_: Request, error: Exception) -> Response:
    """The framework's own refusals: no such path, no such method."""
    assert isinstance(error, HTTPException)  # registered for this type only
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
    return error_response(error.status_code, code, error.detail)


async def on_failure(request: Request, error: Exception) -> Response:
    log.error("request failed", extra={"path": request.url.path, "error": type(error).__name__}, exc_info=error)
    return error_response(500, "internal", "control failed to answer; its log says why")


def clipped(text: str) -> str:
    """Short enough, and free of the half characters that JSON can smuggle in and UTF-8 cannot say."""
    whole = text.encode(errors="replace").decode()
    return whole if len(whole) <= MESSAGE_MAX else whole[: MESSAGE_MAX - 1] + "…"
