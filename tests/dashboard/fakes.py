"""The dashboard's sources for tests: something that plays Prometheus, and the real control over a fleet that is only told."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import uvicorn

from stack.adapters.audit_store import SqliteStore
from stack.adapters.experiment_store import SqliteExperiments
from stack.adapters.report_store import SqliteReports
from stack.api.cache_board import CacheBoard
from stack.api.listening import listening
from stack.control.access import Grant, Role
from stack.control.cache_directory import CacheDirectory
from stack.control.decision import DecisionRecord
from stack.control.machinery import Phase
from stack.control.mode import LIVE, Stance
from stack.control.opening import opening
from stack.control.state import Desired
from stack.model.target import Target
from stack.strategies import base as strategies
from stack.wiring.control_alerts import NO_WATCHERS, Watchers
from stack.wiring.control_parts import assemble
from tests.grants import Known, bearer, grant
from tests.stack.api.deck import Fleet, Router

Series = tuple[Mapping[str, str], float]
NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens


Heard = list[str]
"""The expressions that a Prometheus was asked, in order."""


@contextmanager
def prometheus(
    answers: Mapping[str, Sequence[Series]],
    heard: Heard | None = None,
    refused: Collection[str] = (),
    moments: list[float] | None = None,
) -> Iterator[str]:
    """Plays a Prometheus that knows `answers` by expression and nothing else; its URL. It refuses those `refused`.

    It keeps in `moments` until when it was asked, each time.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            if heard is not None:
                heard.append(asked["query"])
            if moments is not None:
                moments.append(float(asked.get("end") or asked["time"]))
            known = answers.get(asked["query"], ())
            result = [_row(labels, value, asked if url.path.endswith("_range") else None) for labels, value in known]
            body = json.dumps({"status": "success", "data": {"result": result}}).encode()
            self.send_response(400 if asked["query"] in refused else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def silent() -> Iterator[str]:
    """Something that takes connections and never says anything; its URL."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _row(labels: Mapping[str, str], value: float, asked: Mapping[str, str] | None) -> dict[str, Any]:
    if asked is None:
        return {"metric": labels, "value": [1_700_000_000, str(value)]}
    start, step = int(asked["start"]), int(asked["step"])
    return {"metric": labels, "values": [[start, str(value)], [start + step, str(value)]]}


class EmulatedFleet(Fleet):
    """A fleet whose engines say that they are emulated."""

    def targets(self) -> Sequence[Target] | None:
        told = super().targets()
        return None if told is None else [msgspec.structs.replace(target, emulated=True) for target in told]


class Steered:
    """The real control on a real socket, with one router that follows it. Everything runs on a thread's own loop.

    With a `secret` it takes `tokens`, of which the first is an admin's with that secret.
    """

    def __init__(
        self,
        folder: Path,
        fleet: Fleet,
        desired: Desired,
        secret: str | None = None,
        stance: Stance = LIVE,
        watching: Watchers = NO_WATCHERS,
        others: tuple[Grant, ...] = (),
    ) -> None:
        self._folder, self._fleet, self._desired, self._secret, self._stance = folder, fleet, desired, secret, stance
        self._watching = watching
        self.tokens = Known([] if secret is None else [grant(secret, Role.ADMIN), *others])
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._one = asyncio.Lock()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._thread.start()
        assert self._up.wait(10)

    def stop(self) -> None:
        """End, as a process does."""
        self._server.should_exit = True
        self._thread.join()
        self._loop.close()

    def patch(self, patch: object) -> None:
        """A change that somebody else makes."""
        headers = bearer(self._secret) if self._secret else {}
        state = httpx.get(f"{self.url}/v1/state", headers=headers).json()
        answer = httpx.patch(f"{self.url}/v1/state", json=patch, headers=headers | {"If-Match": str(state["generation"])})
        assert answer.status_code == 200, answer.text

    def report(self, *decisions: DecisionRecord, dropped: int = 0) -> None:
        """What the router did."""
        self._run(self._router.report(*decisions, dropped=dropped))

    def ready(self, name: str) -> None:
        """A starting engine comes up."""
        self._fleet.engines[name] = Phase.RUNNING
        self._run(self._settle())

    def settle(self) -> None:
        """The router has followed and control has looked."""
        self._run(self._settle())

    def age(self) -> None:
        """Be as one of a release that does not tell yet whose a token is."""
        routes = self._control.app.router.routes
        routes[:] = [route for route in routes if getattr(route, "path", None) != "/v1/self"]

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _settle(self) -> None:
        async with self._one:
            for _ in range(2):
                await self._control.reconciler.tick()
                await self._router.follow()

    async def _serve(self) -> None:
        store = SqliteStore(self._folder)
        known = strategies.names()
        begin = opening(await store.load(), self._desired, known)
        self._control = assemble(
            begin=begin,
            store=store,
            reports=SqliteReports(store.file),
            experiments=SqliteExperiments(store.file),
            allow_experiments=True,
            scaler=self._fleet,
            known=known,
            targets=self._fleet.targets,
            cache=CacheBoard(CacheDirectory(1, has_store=False), time.monotonic),
            tokens=None if self._secret is None else self.tokens,
            stance=self._stance,
            watching=self._watching,
        )
        with listening("127.0.0.1", 0) as listener:
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            self._server = uvicorn.Server(uvicorn.Config(self._control.app, log_config=None, access_log=False))
            headers = bearer(self._secret) if self._secret else {}
            async with httpx.AsyncClient(base_url=self.url, headers=headers) as http:
                self._router = Router("router-0", http, self._fleet)
                serving = asyncio.create_task(self._server.serve(sockets=[listener]))
                await self._router.follow()
                await self._settle()
                following = asyncio.create_task(self._follow())
                self._up.set()
                await serving
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)
        store.close()

    async def _follow(self) -> None:
        """As a real router does: at once when something changed, and every second."""
        while True:
            await self._control.board.changed(self._control.board.version, 1.0)
            await self._settle()
