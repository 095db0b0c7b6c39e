"""Errors in the shape OpenAI clients expect."""

from __future__ import annotations

import msgspec

from stack.router.header_fields import header_lines

JSON_HEADERS = header_lines(((b"content-type", b"application/json"),))

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class _Error(msgspec.Struct):
    message: str
    type: str
    param: str | None
    code: str | None


class _Document(msgspec.Struct):
    error: _Error


def error_body(status: int, message: str, type: str | None = None, code: str | None = None, param: str | None = None) -> bytes:
    """The JSON document of one error; `type` follows from the status when it is not given."""
    return msgspec.json.encode(_Document(_Error(message, type or _type(status), param, code)))


def _type(status: int) -> str:
    return _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
