"""Which L2 an LMCache uses, and whether it is the one that was meant."""

import json

import pytest

from stack.engines.lmcache_l2 import L2Address, L2FormatError, L2State, address, of_engine, of_server, state
from tests.exporters.recorded import DATA


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://store:6390", L2Address("redis", "store", 6390)),
        ("rediss://user:secret@Store/3", L2Address("redis", "store", 6379)),
        ("valkey://10.0.0.1", L2Address("redis", "10.0.0.1", 6379)),
        ("redis://[::1]:6390", L2Address("redis", "::1", 6390)),
        ("sagemaker-hyperpod://10.0.0.1:9200", L2Address("sagemaker-hyperpod", "10.0.0.1", 9200)),
        ("lm://cache:65432", L2Address("lm", "cache", 65432)),
    ],
)
def test_an_address_is_kind_host_and_port(url: str, told: L2Address) -> None:
    assert address(url) == told


@pytest.mark.parametrize("url", ["", "store:6379", "//store:6379", "redis://", "redis://store:port", "redis://[store"])
def test_what_names_no_host_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(L2FormatError, match="no URL") as refused:
        address(url)
    assert "store" not in str(refused.value)


def server(*adapters: object) -> object:
    return {"storage_manager": {"l2_adapter_config": {"adapters": list(adapters)}}}


def test_a_recorded_server_tells_its_store() -> None:
    recorded = json.loads((DATA / "lmcache_config.json").read_bytes())
    assert of_server(recorded) == (L2Address("redis", "127.0.0.1", 6390),)


def test_a_server_tells_each_kind_of_adapter() -> None:
    hyperpod = {"url": "sagemaker-hyperpod://10.0.0.1:9200", "bucket": "lmcache"}
    nodes = {"startup_nodes": [["One", 6379], ["two", 6380], "odd"], "password": "secret"}
    assert of_server(server(hyperpod, nodes, {"base_path": "/kv"}, {"startup_nodes": "one:6379"})) == (
        L2Address("sagemaker-hyperpod", "10.0.0.1", 9200), L2Address("redis", "one", 6379), L2Address("redis", "two", 6380),
        L2Address("redis"), L2Address("other"), L2Address("other"),
    )  # fmt: skip


@pytest.mark.parametrize("config", [None, [], {}, {"storage_manager": 1}, server(1), server({"url": "nowhere"})])
def test_a_server_that_does_not_say_is_not_one_without(config: object) -> None:
    with pytest.raises(L2FormatError):
        of_server(config)


@pytest.mark.parametrize(
    ("conf", "told"),
    [
        ({"remote_url": None, "remote_storage_plugins": None}, ()),
        ({"remote_url": ""}, ()),
        ({"remote_url": "redis://store:6379"}, (L2Address("redis", "store", 6379),)),
        ({"remote_url": None, "remote_storage_plugins": ["mine"]}, (L2Address("plugin"),)),
    ],
)
def test_an_engines_own_lmcache_tells_its_remote_url(conf: object, told: tuple[L2Address, ...]) -> None:
    assert of_engine(conf) == told


@pytest.mark.parametrize("conf", [None, [], {"detail": "Not Found"}, {"remote_url": "nowhere"}])
def test_an_engine_that_does_not_say_is_not_one_without(conf: object) -> None:
    with pytest.raises(L2FormatError):
        of_engine(conf)


def test_used_and_meant_are_compared() -> None:
    meant, other = address("redis://store"), address("sagemaker-hyperpod://10.0.0.1")
    assert (state([], meant), state([other], meant), state([other, meant], meant)) == (
        L2State.ABSENT, L2State.DIFFERENT, L2State.EQUAL,
    )  # fmt: skip


def test_an_l2_on_each_node_is_meant_on_whatever_host() -> None:
    meant = address("sagemaker-hyperpod://*:9200")
    found = [
        address(url)
        for url in ("sagemaker-hyperpod://10.0.0.1:9200", "sagemaker-hyperpod://10.0.0.1:9201", "redis://10.0.0.1:9200")
    ]
    assert [state([one], meant) for one in found] == [L2State.EQUAL, L2State.DIFFERENT, L2State.DIFFERENT]
