"""HyperPod's tiered storage on this node, as the exporter sees it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from exporters.app import application
from exporters.collector import Context, Point, Seen
from exporters.collectors.tier_daemon import TierDaemon
from exporters.node import Node
from exporters.settings import Settings
from stack.engines.quantities import State
from stack.metrics import catalog
from tests.exporters.recorded import Hosts

URL = "http://127.0.0.1:9200"


def answering(status: int) -> Callable[[], httpx.Response]:
    return lambda: httpx.Response(status, headers={"location": "http://169.254.169.254/"})


async def read(hosts: Hosts, segment: Path | None) -> Seen:
    async with hosts.client() as client:
        return await TierDaemon(Context(client, tuple, node=Node(URL, segment))).read("node")


def reachable(value: float) -> Point:
    return Point(catalog.TIER_DAEMON_REACHABLE, {}, value)


@pytest.mark.parametrize("status", [200, 302, 404, 500])
async def test_a_daemon_that_answers_anything_is_reachable_and_followed_nowhere(status: int) -> None:
    hosts = Hosts({f"{URL}": answering(status), f"{URL}/": answering(status)})
    assert (await read(hosts, None)).points == [reachable(1.0)]
    assert len(hosts.asked) == 1


async def test_a_daemon_that_refuses_is_not() -> None:
    assert (await read(Hosts(), None)).points == [reachable(0.0)]


async def test_a_daemon_that_hangs_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr("exporters.collectors.tier_daemon.MOST_SECONDS", 0.01)
    async with httpx.AsyncClient(transport=httpx.MockTransport(hang)) as client:
        seen = await TierDaemon(Context(client, tuple, node=Node(URL))).read("node")
    assert seen.points == [reachable(0.0)]


async def test_a_segment_is_there_with_its_size_or_is_not(tmp_path: Path) -> None:
    segment = tmp_path / "ai_toolkit_cache"
    assert (await read(Hosts(), segment)).points == [reachable(0.0), Point(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, {}, 0.0)]
    segment.write_bytes(b"x" * 100)
    seen = await read(Hosts(), segment)
    assert seen.points == [
        reachable(0.0),
        Point(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, {}, 1.0),
        Point(catalog.TIER_DAEMON_SHARED_MEMORY_BYTES, {}, 100.0),
    ]
    assert seen.quantities == {"tier_daemon_shared_memory": State.PRESENT}


async def test_where_nobody_may_look_nothing_is_said_of_the_segment(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for segment in (tmp_path / "no folder" / "segment", tmp_path / "file" / "segment"):
        seen = await read(Hosts(), segment)
        assert (seen.points, seen.quantities) == ([reachable(0.0)], {"tier_daemon_shared_memory": State.ABSENT})


async def metrics(collectors: frozenset[str] | None) -> str:
    app = application(
        Settings("127.0.0.1", 0, (), {}, 4.0, collectors=collectors, node=Node(URL)),
        clock=lambda: 0.0,
        transport=Hosts().transport(),
    )
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as one:
        return (await one.get("/metrics")).text


async def test_it_is_off_unless_it_is_switched_on() -> None:
    assert "tier_daemon" not in await metrics(None)
    assert "kvdeck_tier_daemon_reachable 0.0" in await metrics(frozenset({"tier_daemon"}))
