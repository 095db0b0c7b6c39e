"""Control in the place of LMCache's coordinator, spoken to as a real server does."""

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stack.api.cache_board import FORGET_SECONDS, SERVERS_MAX, CacheBoard, TooManyServersError
from stack.api.cache_watch import CacheWatch
from stack.cache.relay import STORE, CacheUpdate
from stack.control.cache_directory import CacheDirectory
from stack.control.reporting_path import reporting_path
from stack.engines.lmcache_events import Registration
from stack.model.chunk import CacheDoubt
from tests.grants import EVERYBODY
from tests.stack.api.deck import Clock, Deck, deck

DATA = Path(__file__).parents[2] / "data"
RECORDED = json.loads((DATA / "lmcache_reports.json").read_bytes())
STATUS = (DATA / "lmcache_status.json").read_bytes()
REGISTRATION, CAPACITY, FIRST, STORED = RECORDED["requests"][:4]


async def send(control: Deck, request: dict[str, Any], path: str = reporting_path(None)) -> httpx.Response:
    return await control.http.post(path + request["path"], json=request["body"])


async def relayed(control: Deck, epoch: int = 0, since: int = 0) -> CacheUpdate:
    answer = await control.http.get(f"/v1/routers/r/cache?epoch={epoch}&since={since}&wait=0.01")
    return msgspec.msgpack.decode(answer.content, type=CacheUpdate)


async def test_what_a_real_server_reports_reaches_routers(tmp_path: Path) -> None:
    async with deck(tmp_path) as control:
        answer = await send(control, REGISTRATION)
        assert (answer.status_code, answer.json()) == (200, {"instance_id": "lmcache", "re_registered": False})
        for request in (CAPACITY, FIRST, STORED):
            assert (await send(control, request)).status_code == 200
        update = await relayed(control)
        names = {ledger.server: [chunk.name.hex() for chunk in ledger.chunks][:2] for ledger in update.ledgers}
        assert names == {STORE: RECORDED["chunk_names"], "lmcache": RECORDED["chunk_names"]}
        assert all(ledger.chunks == () for ledger in (await relayed(control, update.epoch, update.version)).ledgers)


async def test_a_repeated_report_is_taken_once(tmp_path: Path) -> None:
    async with deck(tmp_path) as control:
        await send(control, REGISTRATION)
        assert (await send(control, FIRST)).json() == {"applied": 2, "duplicates": 0, "stale": 0}
        assert (await send(control, FIRST)).json() == {"applied": 0, "duplicates": 2, "stale": 0}


async def test_a_server_that_control_does_not_know_is_told_to_register(tmp_path: Path) -> None:
    async with deck(tmp_path) as control:
        assert (await control.http.put("/v1/lmcache/instances/lmcache/heartbeat")).status_code == 404
        assert (await send(control, FIRST)).json()["applied"] == 0
        await send(control, REGISTRATION)
        assert (await control.http.put("/v1/lmcache/instances/lmcache/heartbeat")).json() == {"instance_id": "lmcache"}
        assert (await control.http.delete("/v1/lmcache/instances/lmcache")).status_code == 204
        assert [ledger.server for ledger in (await relayed(control)).ledgers] == [STORE]


@pytest.mark.parametrize("path", ["/events", "/instances"])
async def test_what_is_no_report_is_refused(tmp_path: Path, path: str) -> None:
    async with deck(tmp_path) as control:
        assert (await control.http.post(f"/v1/lmcache{path}", content=b"{")).status_code == 422


async def test_with_tokens_servers_report_under_a_routers_secret_path_only(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as control:
        assert (await send(control, REGISTRATION)).status_code == 401
        assert (await send(control, REGISTRATION, reporting_path("admin"))).status_code == 401
        assert (await send(control, REGISTRATION, reporting_path("router"))).status_code == 200
        assert (await control.http.get("/v1/routers/r/cache")).status_code == 401


async def test_doubts_are_counted_as_metrics(tmp_path: Path) -> None:
    async with deck(tmp_path) as control:
        await send(control, REGISTRATION)
        await send(control, FIRST)
        await send(control, {"path": "/events", "body": {"batches": [STORED["body"]["batches"][0] | {"seq": 9}]}})
        text = (await control.http.get("/metrics")).text
        assert 'kvdeck_control_cache_doubts_total{reason="reports_lost",tier="l1"} 1.0' in text


async def test_a_server_and_the_store_are_held_against_their_reports() -> None:
    clock = Clock()
    board = CacheBoard(CacheDirectory(1, has_store=True), clock)
    board.register(Registration(instance_id="lmcache", ip="127.0.0.1", http_port=8280))
    board.register(Registration(instance_id="gone", ip="::1", http_port=1))
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.port == 1:
            raise httpx.ConnectError("nobody")
        return httpx.Response(200, content=STATUS)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        await CacheWatch(board, client, None).look()
        assert sorted(asked) == ["http://127.0.0.1:8280/status", "http://[::1]:1/status"]
        found = {ledger.server: (ledger.chunk_tokens, ledger.silent) for ledger in (await board.update(0, 0, 0.0)).ledgers}
        assert found["lmcache"] == (256, None)
        assert found["gone"] == (None, CacheDoubt.UNHEARD)
        clock.advance(FORGET_SECONDS + 1.0)
        await CacheWatch(board, client, None).look()
    assert list(board.addresses) == ["lmcache"]


def test_servers_are_bounded() -> None:
    board = CacheBoard(CacheDirectory(1, has_store=True), Clock())
    for number in range(SERVERS_MAX):
        board.register(Registration(instance_id=str(number), ip="h", http_port=1))
    assert board.register(Registration(instance_id="0", ip="h", http_port=1))
    with pytest.raises(TooManyServersError):
        board.register(Registration(instance_id="one more", ip="h", http_port=1))
