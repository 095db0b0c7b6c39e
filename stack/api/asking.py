"""Reading what a client sent: bodies within a limit, parameters within bounds, names without tricks."""

from __future__ import annotations

from starlette.requests import ClientDisconnect, Request

from stack.api.contract import Parameter, whole
from stack.api.errors import ApiError
from stack.api.permit import GRANT
from stack.control.access import ANYBODY, Grant

PATCH_BYTES = 256 << 10
REPORT_BYTES = 8 << 20
LIMIT_MAX = 1_000
NAME_MAX = 80
COMMENT_MAX = 500

LIMIT = Parameter("limit", whole(1, LIMIT_MAX), "How many at most; 100 without it.")


async def body(request: Request, limit: int) -> bytes:
    """The request's body. Raises ApiError as soon as it is longer than `limit` bytes."""
    said = request.headers.get("content-length", "")
    if said.isascii() and said.isdigit() and (len(said) > 18 or int(said) > limit):
        raise ApiError(413, "too_large", f"the body is longer than {limit} bytes")
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise ApiError(413, "too_large", f"the body is longer than {limit} bytes")
            parts.append(part)
    except ClientDisconnect as error:
        raise ApiError(400, "incomplete", "the body ended early") from error
    return b"".join(parts)


def limit(request: Request, default: int = 100) -> int:
    """The `limit` parameter. Raises ApiError outside 1 to LIMIT_MAX."""
    return int(_number(request, "limit", default, 1, LIMIT_MAX))


def version(request: Request) -> int:
    """The configuration a router has; -1 when it has none."""
    return int(_number(request, "version", -1, -1, 2**53))


def number(request: Request, name: str) -> int:
    """A parameter that counts something, 0 when absent. Raises ApiError."""
    return int(_number(request, name, 0, 0, 2**53))


def path_number(request: Request, name: str) -> int:
    """A whole number in the path. Raises ApiError."""
    text = str(request.path_params[name])
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        raise ApiError(400, "bad_parameter", f"{name} is a whole number, not {text[:40]!r}", name)
    return int(text)


def wait(request: Request, most: float) -> float:
    """For how many seconds the client is ready to wait, at most `most`."""
    return min(most, _number(request, "wait", 0, 0, 3600))


def since(request: Request) -> float | None:
    """From when on, in Unix seconds; None when the client does not say."""
    return _number(request, "since", 0.0, 0.0, 1e11) if "since" in request.query_params else None


def flag(request: Request, name: str) -> bool:
    """A yes-or-no parameter, absent is no. Raises ApiError."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "1", "false", "0", ""):
        raise ApiError(400, "bad_parameter", f"{name} is true or false, not {text!r}", name)
    return text in ("true", "1")


def only(request: Request, *known: str) -> None:
    """Refuse a parameter that nobody reads: a mistyped `dry_run` would apply what was to be looked at. Raises ApiError."""
    for name in request.query_params:
        if name not in known:
            raise ApiError(400, "bad_parameter", f"unknown parameter {name[:40]!r}; known: {', '.join(known) or 'none'}", name[:40])


def actor(request: Request) -> str:
    """Who asks: the token's name. Without tokens it is a claim, what the request says of itself."""
    grant: Grant = request.scope[GRANT]
    claimed = _printable(request.headers.get("x-kvdeck-actor", ""), NAME_MAX) if grant is ANYBODY else ""
    return claimed or grant.name


def comment(request: Request) -> str | None:
    """Why, in the client's words; from the parameter or from the header."""
    text = request.query_params.get("comment") or request.headers.get("x-kvdeck-comment", "")
    return _printable(text, COMMENT_MAX) or None


def _number(request: Request, name: str, default: float, least: float, most: float) -> float:
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise ApiError(400, "bad_parameter", f"{name} is a number from {least:g} to {most:g}, not {text[:40]!r}", name)
    return value


def _printable(text: str, most: int) -> str:
    """Headers arrive as Latin-1 whatever they are: UTF-8 is put right, and nothing may move a terminal's cursor."""
    try:
        text = text.encode("latin-1").decode()
    except UnicodeError:
        text = text.encode(errors="replace").decode()
    return "".join(char for char in text if char.isprintable()).strip()[:most]
