"""A whole router between fake engines and a real HTTP client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import httpx

from stack.control.decision import DecisionRecord
from stack.control.link import RouterConfig, Trial
from stack.control.state import Desired, Dpd, ModelState
from stack.fleet.engine import Health
from stack.model.target import Target, encode
from stack.router.recording import record_of
from stack.router.settings import RouterSettings
from stack.wiring.router import Router
from stack.wiring.router_options import RouterOptions
from tests.stack.router.fakes import MODEL
from tests.stack.router.waiting import until

# Short enough for a test, long enough for a busy machine to do its part.
SETTINGS = RouterSettings(
    connect_s=5.0,
    probe_interval_s=0.02,
    targets_interval_s=0.01,
    models_interval_s=0.02,
    accept_delay_s=0.0,
    drain_s=5.0,
    lost_after_s=0.02,
)
LONG = "word " * 600  # 3,000 bytes: 750 tokens as the router estimates them
SHORT = "hello"


def state(strategy: str = "round_robin", threshold: int = 512) -> ModelState:
    """A model served with disaggregation from `threshold` tokens."""
    return ModelState(strategy=strategy, dpd=Dpd(enabled=True, routing_threshold=threshold))


class Backend(Protocol):
    """An engine that a test starts and ends."""

    name: str
    healthy: bool

    @property
    def target(self) -> Target: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class RouterBench:
    """`router` and a `client` that talks to it; `fleet` starts and ends both."""

    def __init__(self, router: Router, targets: Path) -> None:
        self.router = router
        self._targets = targets
        host, port = router.server.address
        self.client = httpx.AsyncClient(base_url=f"http://{host}:{port}", timeout=10.0, trust_env=False)

    def list_engines(self, *engines: Backend) -> None:
        """Write the target file."""
        fresh = self._targets.with_suffix(".new")
        fresh.write_bytes(encode([engine.target for engine in engines]))
        fresh.replace(self._targets)

    def health(self, engine: Backend) -> Health | None:
        member = self.router.keeper.fleet.members.get(engine.name)
        return None if member is None else member.engine.health

    @property
    def queued(self) -> int:
        """Requests that wait in the router."""
        return self.router.admission.queued(MODEL)

    def apply(
        self,
        generation: int,
        model: ModelState,
        draining: tuple[str, ...] = (),
        experiment: Trial | None = None,
        *,
        others: bool = False,
    ) -> None:
        """What control does."""
        config = RouterConfig(
            version=generation,
            generation=generation,
            models={MODEL: model},
            draining=draining,
            experiments={} if experiment is None else {MODEL: experiment},
            others=others,
        )
        self.router.configuration.apply(config)

    async def chat(self, content: str = SHORT, *, headers: Mapping[str, str] | None = None, **fields: Any) -> httpx.Response:
        """One chat, not streamed."""
        body = {"model": MODEL, "messages": [{"role": "user", "content": content}], **fields}
        return await self.client.post("/v1/chat/completions", json=body, headers=dict(headers or {}))

    @asynccontextmanager
    async def streaming(self, content: str = SHORT, **fields: Any) -> AsyncIterator[httpx.Response]:
        """One chat, streamed; the answer's head is there."""
        body = {"model": MODEL, "messages": [{"role": "user", "content": content}], "stream": True, **fields}
        async with self.client.stream("POST", "/v1/chat/completions", json=body) as response:
            yield response

    async def stream(self, content: str = SHORT, **fields: Any) -> tuple[httpx.Response, list[Any]]:
        """One chat, streamed to its end: the response and its events."""
        async with self.streaming(content, **fields) as response:
            return response, events(await response.aread())

    async def record(self) -> DecisionRecord:
        """The newest decision record."""
        await until(lambda: len(self.router.records) > 0)
        return record_of(self.router.records.batch(1000).errands[-1])

    async def metric(self, name: str) -> dict[str, float]:
        """The samples of one name, by their labels as written."""
        text = (await self.client.get("/metrics")).text
        lines = [line.removeprefix(name).rsplit(" ", 1) for line in text.splitlines() if line.startswith(name)]
        return {labels: float(value) for labels, value in lines}


def events(body: bytes) -> list[Any]:
    """The data of each event; `[DONE]` as it is."""
    data = [event.removeprefix(b"data: ") for event in body.split(b"\n\n") if event]
    return [piece.decode() if piece == b"[DONE]" else json.loads(piece) for piece in data]


def text(answered: list[Any]) -> str:
    """What the events say together."""
    return "".join(event["choices"][0]["delta"]["content"] for event in answered if event != "[DONE]" and event.get("choices"))


@asynccontextmanager
async def fleet(
    tmp_path: Path,
    *engines: Backend,
    model: ModelState | None = None,
    exposed: bool = True,
    authorization: str | None = None,
    observe: bool = False,
    **settings: Any,
) -> AsyncIterator[RouterBench]:
    """Start `engines` and a router over them, and wait until it has seen each of them ready."""
    for engine in engines:
        await engine.start()
    targets = tmp_path / "engines.json"
    options = RouterOptions(
        host="127.0.0.1",
        port=0,
        router_id="router-0",
        targets=targets,
        secret=b"secret",
        expose_route_headers=exposed,
        observe=observe,
        engine_authorization=authorization,
        desired=Desired(models={MODEL: model or state()}),
        settings=replace(SETTINGS, **settings),
    )
    router = Router(options)
    await router.start()
    bench = RouterBench(router, targets)
    bench.list_engines(*engines)
    try:
        await until(lambda: all(bench.health(engine) is Health.READY for engine in engines if engine.healthy))
        yield bench
    finally:
        await bench.client.aclose()
        await router.stop()
        for engine in engines:
            await engine.stop()
