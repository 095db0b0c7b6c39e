"""A control API that answers as it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import msgspec

from stack.api.client import ControlClient
from stack.control.diff import diff
from tests.stack.bench.changes.samples import START, patched


class FakeControl:
    """Control as HTTP tells it: `answers` says what becomes of one change after the other, 0 is no answer at all."""

    def __init__(self, *answers: int, away: int = 0) -> None:
        """`away`: so many questions find nobody first."""
        self.desired, self.generation = START, 1
        self.away = away
        self._answers: Iterator[int] = iter(answers)

    def client(self) -> ControlClient:
        return ControlClient("http://control", transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.away:
            self.away -= 1
            raise httpx.ConnectError("nobody")
        if request.url.path == "/health":
            return httpx.Response(200, json={"status": "ok", "generation": self.generation})
        if request.method == "GET":
            return httpx.Response(200, content=msgspec.json.encode(self._state()))
        return self._change(request)

    def _change(self, request: httpx.Request) -> httpx.Response:
        status = next(self._answers)
        if status == 0:
            raise httpx.ReadError("gone")
        if status != 200:
            error = {"code": "refused", "message": "no", "field": "models.m.pools.decode.replicas"}
            return httpx.Response(status, json={"error": error})
        before = self.desired
        self.desired = patched(before, msgspec.json.decode(request.content)["models"]["m"])
        self.generation += 1
        changed = {"dry_run": False, "proposed": self.desired, "diff": diff(before, self.desired)}
        return httpx.Response(200, content=msgspec.json.encode(self._state() | changed))

    def _state(self) -> dict[str, Any]:
        router = {"id": "router-0", "generation": self.generation, "age_seconds": 0.1}
        return {"generation": self.generation, "desired": self.desired, "applied": {"routers": [router]}}
