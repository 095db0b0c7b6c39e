"""Engines and servers that answer with recordings, over a transport that needs no network."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from stack.model.target import Target
from stack.model.tier import Pool

DATA = Path(__file__).parents[1] / "data"
TEXT = {"content-type": "text/plain; version=0.0.4; charset=utf-8"}

Answer = Callable[[], httpx.Response]


def exposition(name: str) -> bytes:
    """A recorded exposition, by its file's stem."""
    return (DATA / "expositions" / f"{name}.txt").read_bytes()


def text(document: bytes, **headers: str) -> Answer:
    return lambda: httpx.Response(200, stream=httpx.ByteStream(document), headers=TEXT | headers)


def json(document: bytes) -> Answer:
    return lambda: httpx.Response(200, stream=httpx.ByteStream(document), headers={"content-type": "application/json"})


def refused() -> httpx.Response:
    raise httpx.ConnectError("connection refused")


@dataclass
class Hosts:
    """What each URL answers now; tests change it between scrapes. Unknown URLs are refused. `asked` is every URL asked."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def engine(self, host: str, document: bytes, version: str = "0.32.0") -> None:
        self.answers |= {
            f"http://{host}/metrics": text(document),
            f"http://{host}/version": json(b'{"version":"%s"}' % version.encode()),
        }

    def lmcache(self, host: str, document: bytes) -> None:
        status = (DATA / "lmcache_status.json").read_bytes()
        self.answers |= {f"http://{host}/metrics": text(document), f"http://{host}/status": json(status)}

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=self.transport())

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        return self.answers.get(str(request.url), refused)()


def target(replica: str, pool: Pool = Pool.DECODE, model: str = "smollm2", **more: str) -> Target:
    """An engine whose host is its name."""
    settings: Mapping[str, str] = {"model_root": "/models/smollm2", **more}
    return Target(replica=replica, url=f"http://{replica}", pool=pool, model=model, **settings)  # type: ignore[arg-type]  # strings only
