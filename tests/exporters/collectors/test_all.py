"""What holds for every collector, also those to come."""

import httpx
import pytest

import exporters.collectors  # noqa: F401  # registers them
from exporters.collector import Context, collectors, runs_by_default
from tests.exporters.recorded import Hosts, target


@pytest.mark.parametrize("name", collectors.names())
async def test_a_collector_without_anything_to_read_reads_nothing(name: str) -> None:
    async with Hosts().client() as client:
        collector = collectors.create(name, context=Context(client, tuple))
        assert list(collector.targets()) == []
        await collector.close()


@pytest.mark.parametrize("name", collectors.names())
async def test_a_target_that_was_never_read_can_be_forgotten(name: str) -> None:
    async with Hosts().client() as client:
        collector = collectors.create(name, context=Context(client, tuple))
        collector.forget("decode-0")
        await collector.close()


@pytest.mark.parametrize("name", ["engines", "lmcache"])
async def test_a_target_that_refuses_raises(name: str) -> None:
    async with Hosts().client() as client:
        endpoints = {"lmcache": {"decode-0": "http://decode-0"}}
        collector = collectors.create(name, context=Context(client, lambda: [target("decode-0")], endpoints))
        with pytest.raises(httpx.ConnectError):
            await collector.read("decode-0")
        await collector.close()


def test_what_looks_at_the_machine_it_runs_on_is_off_by_default() -> None:
    assert [name for name in collectors if not runs_by_default(name)] == ["fabric", "tier_daemon"]
