"""The router's HTTP face: which path is answered by what; everything else is refused in OpenAI's shape."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST

from stack.fleet.engine import Engine
from stack.model.tier import Pool
from stack.router.errors import JSON_HEADERS, error_body
from stack.router.exposition import Exposition
from stack.router.fleet_keeper import FleetKeeper
from stack.router.header_fields import HeaderLines, header_lines
from stack.router.identity import Identity
from stack.router.message import Handler, Request, Responder, Rest
from stack.router.model_list import ModelList
from stack.router.openai import PASS_THROUGH, ROUTED

_READ = ("GET", "HEAD")
_NOTHING: tuple[tuple[str, ...], Handler | None] = ((), None)
_TEXT = header_lines(((b"content-type", CONTENT_TYPE_LATEST.encode()),))


class Service:
    """Dispatches by path. Engines' admin paths are not on the list, so no client reaches them through here."""

    def __init__(
        self, completions: Handler, models: ModelList, keeper: FleetKeeper, exposition: Exposition, *, observes: bool = False
    ) -> None:
        """`observes`: nothing is sent to engines, which /health and /ready say."""
        self._observes = observes
        self._models = models
        self._keeper = keeper
        self._exposition = exposition
        self.draining = False
        reading: dict[str, Handler] = {
            "/health": self._health,
            "/ready": self._ready,
            "/metrics": self._metrics,
            "/v1/models": self._list,
        }
        self._routes: dict[str, tuple[tuple[str, ...], Handler]] = {path: (_READ, handle) for path, handle in reading.items()}
        self._routes |= dict.fromkeys(ROUTED | PASS_THROUGH, (("POST",), completions))

    def handle(self, request: Request, responder: Responder) -> Rest | None:
        """Answer one request."""
        methods, handle = self._routes.get(request.path, _NOTHING)
        if handle is None:
            return self._refuse(request, responder, 404, "there is nothing at this path", "not_found")
        if request.method not in methods:
            return self._refuse(request, responder, 405, "this path is asked in another way", "method_not_allowed", methods)
        return handle(request, responder)

    async def _health(self, request: Request, responder: Responder) -> None:
        """The process is alive; nothing is said about engines."""
        await responder.send(200, JSON_HEADERS, b'{"status":"ok","mode":"observe"}' if self._observes else b'{"status":"ok"}')

    async def _ready(self, request: Request, responder: Responder) -> None:
        """New requests may come: not draining, and some decode engine takes them."""
        if self.draining:
            await responder.send(503, JSON_HEADERS, b'{"status":"draining"}')
        elif not any(_decodes(engine) for engine in self._keeper.fleet.engines):
            await responder.send(503, JSON_HEADERS, b'{"status":"no ready decode engine"}')
        else:
            await responder.send(200, JSON_HEADERS, b'{"status":"observing"}' if self._observes else b'{"status":"ready"}')

    async def _metrics(self, request: Request, responder: Responder) -> None:
        if (text := await self._exposition.text()) is None:
            await self._refuse(request, responder, 503, "the workers' metrics cannot be gathered just now", "no_metrics")
        else:
            await responder.send(200, _TEXT, text)

    async def _list(self, request: Request, responder: Responder) -> None:
        await responder.send(200, JSON_HEADERS, self._models.document())

    async def _refuse(
        self, request: Request, responder: Responder, status: int, message: str, code: str, allowed: tuple[str, ...] = ()
    ) -> None:
        headers = HeaderLines(JSON_HEADERS + Identity.of(request).echoed)
        if allowed:
            headers = HeaderLines(b"%ballow: %b\r\n" % (headers, ", ".join(allowed).encode()))
        await responder.send(status, headers, error_body(status, message, code=code))


def _decodes(engine: Engine) -> bool:
    return engine.pool is Pool.DECODE and engine.routable
