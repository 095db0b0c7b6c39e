from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from stack.local import emulated
from stack.local.emulated import EmulatedEngine
from stack.local.spec import StartError
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.local.living import until

TARGET = Target(
    replica="decode-0",
    cache_server="lmcache",
    url="http://127.0.0.1:8101",
    pool=Pool.DECODE,
    model="m",
    model_root="/m",
    kv_events="ipc:///x.events",
    replay="ipc:///x.replay",
    emulated=True,
)


class Admin:
    """The emulator's admin address, as far as it matters here."""

    def __init__(self) -> None:
        self.engines: dict[str, dict[str, object]] = {}
        self.refusal: str | None = None
        self.state = "ready"

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        if request.method == "PUT":
            if self.refusal:
                return httpx.Response(409, json={"error": self.refusal})
            self.engines[name] = json.loads(request.content)
            return httpx.Response(200)
        if request.method == "DELETE":
            return httpx.Response(204 if self.engines.pop(name, None) else 404)
        return httpx.Response(200, json={"engines": [{"replica": n, "state": self.state, "detail": "why"} for n in self.engines]})


def engine(admin: Admin) -> EmulatedEngine:
    client = httpx.AsyncClient(transport=httpx.MockTransport(admin))
    return EmulatedEngine(client=client, admin="http://admin", target=TARGET, pid=lambda: 42)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "LOOK_SECONDS", 0.01)


async def test_it_begins_with_a_put_and_ends_with_a_delete() -> None:
    admin = Admin()
    life = await engine(admin).start("decode-0")
    assert admin.engines == {
        "decode-0": {
            "pool": "decode",
            "port": 8101,
            "model": "m",
            "model_root": "/m",
            "kv_events": "ipc:///x.events",
            "replay": "ipc:///x.replay",
            "cache_server": "lmcache",
        }
    }
    assert life.pid == 42
    await life.stop()
    assert admin.engines == {}
    await life.stop()  # again is no fault


async def test_its_end_is_noticed() -> None:
    admin = Admin()
    life = await engine(admin).start("decode-0")
    waiting = asyncio.create_task(life.wait())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    admin.state = "crashed"
    await until(waiting.done)
    assert waiting.result() == "crashed: why"
    admin.engines.clear()
    assert await life.wait() == "the emulator does not run it any more"


async def test_a_refusal_is_a_start_error() -> None:
    admin = Admin()
    admin.refusal = "port 8101 is taken"
    with pytest.raises(StartError, match="port 8101 is taken"):
        await engine(admin).start("decode-0")
