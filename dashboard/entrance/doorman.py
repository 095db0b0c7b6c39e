"""In front of everything that the dashboard serves: whoever is not signed in gets the sign-in page and nothing else of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.entrance import form, rule
from dashboard.entrance.checking import Client, recognised
from dashboard.entrance.form import Said
from dashboard.entrance.knock import turned_away, watched
from dashboard.entrance.sessions import Sessions
from dashboard.settings import SettingsError

BODY_BYTES = 4 << 10
WRONG_SECONDS = 1.0  # before a wrong token is answered
AT_ONCE, WAITING = 4, 32  # tokens that control is asked about, and those that wait for their turn
POLICY = (
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; "
    "frame-src 'self'; form-action 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'self'"
)
"""What a page may load and reach: nothing elsewhere, whatever is written in it. Streamlit's scripts and styles are as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What the doorman knows. `base` is the path prefix, from slash to slash; `client` is None where nobody signs in."""

    sessions: Sessions
    client: Client | None
    base: str
    listening: str | None
    cookie: str
    allowed: Sequence[str] = ()


class Doorman:
    """ASGI middleware. `house` is asked at the first request, which Streamlit's options are known at; `pause` waits seconds."""

    def __init__(self, app: ASGIApp, house: Callable[[], House], pause: Callable[[float], object] = asyncio.sleep) -> None:
        self._app, self._made, self._pause = app, house, pause
        self._house: House | None = None
        self._turns, self._waiting = asyncio.Semaphore(AT_ONCE), 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            house = self._house = self._house or self._made()
        except SettingsError as error:
            await _turn_away(form.why(f"The dashboard's settings: {error}"), scope, receive, send)
            return
        if scope["type"] == "http" and scope["path"] == f"{house.base}_stcore/health":
            await self._app(scope, receive, send)
            return
        if (reason := _reason(house, scope)) is not None:
            await _turn_away(form.why(reason), scope, receive, send)
        elif house.client is None:
            await self._app(scope, receive, _framed(send))
        elif scope["type"] == "http" and scope["path"] == f"{house.base}sign-in":
            request = Request(scope, receive)
            answer = await self._sign_in(request, house, house.client) if scope["method"] == "POST" else _ask(request, house)
            await answer(scope, receive, send)
        elif house.sessions.find(key := _cookie(house, scope)) is None:
            await _turn_away(_sign_in_first(house, scope), scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, *watched(house.sessions, key, receive, send))
        else:
            await self._app(scope, receive, _framed(send))

    async def _sign_in(self, request: Request, house: House, client: Client) -> Response:
        sent = await _fields(request)
        onward = rule.onward(sent.get("next"), house.base)
        said = Said.ELSEWHERE if not _ours(request) else await self._check(request, house, client, sent.get("token", "").strip())
        if isinstance(said, Said):
            return RedirectResponse(_sign_in_at(house, onward, said), 303, headers={"Cache-Control": "no-store"})
        answer = RedirectResponse(onward, 303, headers={"Cache-Control": "no-store"})
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        answer.set_cookie(house.cookie, said, path=house.base, secure=secure, httponly=True, samesite="strict")
        return answer

    async def _check(self, request: Request, house: House, client: Client, token: str) -> str | Said:
        """What the cookie is to say."""
        if self._waiting >= WAITING:
            return Said.BUSY
        self._waiting += 1
        try:
            async with self._turns:
                known = await run_in_threadpool(recognised, token, client)
        finally:
            self._waiting -= 1
        if isinstance(known, Said):
            if known is Said.WRONG:
                await self._pause(WRONG_SECONDS)  # type: ignore[misc]  # asyncio.sleep, or a test's
            return known
        house.sessions.end(_cookie(house, request.scope))  # who was signed in here before is no more
        return house.sessions.begin(*known)


def _reason(house: House, scope: Scope) -> str | None:
    """Why nobody is let in, or not like this."""
    reached = scope.get("server") or ("", None)
    if (reason := rule.shut(house.listening, reached[0], sign_in=house.client is not None)) is not None:
        return reason
    if house.client is not None:
        return None
    return rule.stranger(HTTPConnection(scope).headers.get("host", ""), house.allowed)


def _ask(request: Request, house: House) -> Response:
    onward = rule.onward(request.query_params.get("next"), house.base)
    if house.sessions.find(_cookie(house, request.scope), asked=False) is not None:
        return RedirectResponse(onward, 303)
    if request.headers.get("sec-fetch-site") == "cross-site":
        return form.again(onward)  # a link on another site: the browser kept the cookie back, and sends it when we lead there
    told = request.query_params.get("said", "")
    return form.form(f"{house.base}sign-in", onward, Said(told) if told in set(Said) else None)


def _sign_in_first(house: House, scope: Scope) -> Response:
    request = HTTPConnection(scope)
    if scope["type"] == "http" and request.headers.get("sec-fetch-mode", "navigate") == "navigate" and scope["method"] == "GET":
        query = scope["query_string"].decode("latin-1")
        path = quote(scope["path"]) + (f"?{query}" if query else "")
        return RedirectResponse(_sign_in_at(house, rule.onward(path, house.base)), 303, headers={"Cache-Control": "no-store"})
    return PlainTextResponse("sign in first", 401, headers={"Cache-Control": "no-store"})


def _sign_in_at(house: House, onward: str, said: Said | None = None) -> str:
    return f"{house.base}sign-in?next={quote(onward, safe='')}" + (f"&said={said}" if said else "")


def _ours(request: Request) -> bool:
    """Whether a form was sent from our own page: the browser says so."""
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")


async def _fields(request: Request) -> dict[str, str]:
    """A form's fields, the first of each name; nothing where it is longer than anybody's."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES:
            return {}
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _cookie(house: House, scope: Scope) -> str | None:
    return HTTPConnection(scope).cookies.get(house.cookie)


async def _turn_away(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await answer(scope, receive, send)
        return
    await turned_away(receive, send, next(iter(scope.get("subprotocols", ())), None))


def _framed(send: Send) -> Send:
    """Nobody draws a page of ours within one of theirs, over which they lead the reader's clicks, and ours asks nobody else."""

    async def framed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("X-Frame-Options", "SAMEORIGIN")
            headers.setdefault("Content-Security-Policy", POLICY)
        await send(message)

    return framed
