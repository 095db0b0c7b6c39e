"""Whether each LMCache uses the L2 it should use, over what it answers."""

import httpx
import pytest

from exporters.collector import Context, Point
from exporters.collectors.l2_address import EffectiveL2
from stack.engines.lmcache_l2 import L2FormatError
from stack.metrics import catalog
from stack.metrics.family import Label
from tests.exporters.recorded import DATA, Hosts, json, text

RECORDED = (DATA / "lmcache_config.json").read_bytes()
ENDPOINTS = {"lmcache": {"lmcache": "http://l"}}


def missing() -> httpx.Response:
    return httpx.Response(404, stream=httpx.ByteStream(b'{"detail":"Not Found"}'))


def told(state: str) -> Point:
    return Point(catalog.CACHE_L2_ADDRESS_STATE, {Label.REPLICA: "lmcache", Label.STATE: state}, 1.0)


async def read(hosts: Hosts, expected: str = "redis://user:secret@127.0.0.1:6390/0") -> list[Point]:
    async with hosts.client() as client:
        collector = EffectiveL2(Context(client, tuple, ENDPOINTS, expected_l2=expected))
        return list((await collector.read("lmcache")).points)


@pytest.mark.parametrize(
    ("expected", "state"),
    [("redis://127.0.0.1:6390", "equal"), ("redis://127.0.0.1", "different"), ("sagemaker-hyperpod://127.0.0.1:6390", "different")],
)
async def test_a_servers_adapter_is_compared(expected: str, state: str) -> None:
    assert await read(Hosts({"http://l/config": json(RECORDED)}), expected) == [told(state)]


async def test_a_server_without_an_l2_has_none() -> None:
    assert await read(Hosts({"http://l/config": json(b'{"storage_manager":{"l2_adapter_config":{"adapters":[]}}}')})) == [
        told("absent")
    ]


async def test_an_engines_own_lmcache_is_asked_for_its_remote_url() -> None:
    hosts = Hosts({"http://l/config": missing, "http://l/conf": text(b'{"remote_url": "sagemaker-hyperpod://10.0.0.1:9200"}')})
    assert await read(hosts) == [told("different")]


async def test_who_does_not_say_is_unknown() -> None:
    collector = EffectiveL2(Context(Hosts().client(), tuple, ENDPOINTS, expected_l2="redis://store"))
    for answers in ({}, {"http://l/config": missing}, {"http://l/config": missing, "http://l/conf": missing}):
        with pytest.raises(httpx.HTTPError):
            await read(Hosts(dict(answers)))
    with pytest.raises(L2FormatError):
        await read(Hosts({"http://l/config": json(b"{}")}))
    assert list(collector.unread("lmcache")) == [told("unknown")]


async def test_without_an_expectation_nobody_is_asked() -> None:
    assert list(EffectiveL2(Context(Hosts().client(), tuple, ENDPOINTS)).targets()) == []
