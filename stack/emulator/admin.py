"""The emulator's own HTTP API: which engines there are."""

from __future__ import annotations

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from stack.emulator.events import Medium
from stack.emulator.fleet import Fleet, FleetError
from stack.emulator.identity import EngineSpec

DRAIN_SECONDS = 2.0


class Admin:
    """GET /engines, PUT and DELETE /engines/{replica}, GET /health, and what the cache server and the store say of themselves.

    Loopback only: it has no authentication.
    """

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.asgi = Starlette(
            routes=[
                Route("/health", self._health),
                Route("/engines", self._list),
                Route("/status", self._cache_server),
                Route("/store", self._store),
                Route("/engines/{replica}", self._put, methods=["PUT"]),
                Route("/engines/{replica}", self._delete, methods=["DELETE"]),
            ]
        )

    async def _health(self, request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def _list(self, request: Request) -> Response:
        return _json({"engines": self._fleet.list()})

    async def _cache_server(self, request: Request) -> Response:
        """What LMCache's server answers here that its reports are held against; 404 when no engine names a cache server."""
        reports = self._fleet.reports
        if reports is None:
            return _json({"error": "no cache server"}, 404)
        document = {
            "chunk_size": reports.block_size,
            "hash_algorithm": reports.algorithm,
            "storage_manager": {"l1_manager": {"total_object_count": reports.held[Medium.CPU]}},
            "kv_events": {"lost_markers": 0},
            "emulated": True,
        }
        return _json(document)

    async def _store(self, request: Request) -> Response:
        """The store's counters as a Redis would tell them, except that it reports all it drops."""
        reports = self._fleet.reports
        keys = 0 if reports is None else reports.held[Medium.STORAGE]
        info = {"run_id": "emulated", "evicted_keys": 0, "expired_keys": 0, "db0": {"keys": keys}, "emulated": True}
        return _json(info)

    async def _put(self, request: Request) -> Response:
        """Idempotent: the same spec leaves a running engine alone, another one restarts it."""
        try:
            spec = msgspec.json.decode(await request.body(), type=EngineSpec)
            return _json(await self._fleet.start(request.path_params["replica"], spec))
        except msgspec.DecodeError as error:
            return _json({"error": f"engine spec: {error}"}, 400)
        except FleetError as error:
            return _json({"error": str(error)}, 409)

    async def _delete(self, request: Request) -> Response:
        """Requests under way have two seconds; `?now` gives them none, as a kill does."""
        grace = 0.0 if "now" in request.query_params else DRAIN_SECONDS
        if await self._fleet.stop(request.path_params["replica"], grace):
            return Response(status_code=204)
        return _json({"error": "no such engine"}, 404)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status_code=status, media_type="application/json")
