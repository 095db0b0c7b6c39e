"""What each check makes of facts."""

import json
from dataclasses import replace
from typing import Any

import pytest

from stack.control.precondition import Verdict
from stack.doctor.examination import examine, holds
from stack.doctor.facts import CacheServer, Engine, EventSource, Facts, Monitored, Process, Prometheus, Rule, Scrape, Skew, Store
from stack.engines.lmcache_l2 import L2Address
from stack.engines.samples import Sample, Samples
from stack.kube.objects import Metadata
from stack.kube.operator import Kind, LabelSelector, Operator, PrometheusSpec
from stack.kube.operator import Prometheus as KubePrometheus
from stack.model.target import Target
from stack.model.tier import Pool

CONFIG = {"block_size": "64", "prefix_caching_hash_algo": "sha256_cbor", "enable_prefix_caching": "True"}


def transfer(role: str, policy: str = "recompute", connector: str = "NixlConnector", beside: str = "LMCacheMPConnector") -> str:
    inner = [{"kv_connector": connector, "kv_role": role}, {"kv_connector": beside, "kv_role": "kv_both"}]
    outer = {"kv_connector": "MultiConnector", "kv_role": role, "kv_load_failure_policy": policy}
    return json.dumps({**outer, "kv_connector_extra_config": {"connectors": inner}})


def process(config: str, cores: float | None = 0.05, **variables: str) -> Process:
    return Process(("python", "-m", "vllm.entrypoints.openai.api_server", "--kv-transfer-config", config), variables, cores)


def times(name: str, seconds: float) -> list[Sample]:
    """A histogram of ten requests that took as long, or longer than any bucket when that is a minute."""
    below = {"1.0": 10.0 * (seconds <= 1.0), "40.0": 10.0 * (seconds <= 40.0), "+Inf": 10.0}
    buckets = [Sample(f"{name}_bucket", {"le": le}, count) for le, count in below.items()]
    return [*buckets, Sample(f"{name}_sum", {}, 10 * seconds), Sample(f"{name}_count", {}, 10.0)]


def exposition(
    failed: float = 0.0,
    completed: float = 20.0,
    late: float = 0.0,
    running: float = 0.0,
    prefill: float = 0.5,
    queue: float = 0.5,
    **config: str,
) -> Samples:
    plain = {
        "vllm:num_requests_running": running,
        "vllm:num_requests_waiting": 0.0,
        "vllm:nixl_num_failed_transfers_total": failed,
        "vllm:nixl_xfer_time_seconds_sum": completed / 100,
        "vllm:nixl_xfer_time_seconds_count": completed,
        "vllm:nixl_num_kv_expired_reqs_total": late,
        "vllm:kv_block_lifetime_seconds_sum": 9.0,
        "vllm:kv_block_lifetime_seconds_count": 3.0,
    }
    info = Sample("vllm:cache_config_info", CONFIG | config, 1.0)
    histograms = times("vllm:request_prefill_time_seconds", prefill) + times("vllm:request_queue_time_seconds", queue)
    return Samples([info, *(Sample(name, {}, value) for name, value in plain.items()), *histograms])


def engine(name: str, pool: Pool, role: str) -> Engine:
    return Engine(
        Target(replica=name, url="http://10.0.0.1:8000", pool=pool, model="m", model_root="/models/m"),
        version="0.32.0",
        roots=("/models/m",),
        samples=exposition(),
        events=(EventSource(True, "tcp://*:5557", "tcp://*:5561"),),
        replays=True,
        skew=Skew(-0.5, 1.5),
        process=process(transfer(role), PYTHONHASHSEED="0"),
    )


PREFILL = engine("p", Pool.PREFILL, "kv_producer")
DECODE = engine("d", Pool.DECODE, "kv_consumer")
L2 = L2Address("redis", "10.0.0.2", 6379)
SERVER = CacheServer(
    {"is_healthy": True, "storage_manager": {"num_l2_adapters": 1}}, frozenset({"/models/m"}), l2=(L2,), version="0.5.6"
)
STORE = Store(L2, used=2**20, limit=2**30, policy="allkeys-lru")
PROMETHEUS = Prometheus("2d", (Rule("KvdeckX", "rate(x[6h])", "ok"),), (Scrape("engines/d", "up", 0.1, 10.0),))
SOUND = Facts((PREFILL, DECODE), SERVER, PROMETHEUS, STORE)
BARE = Facts((Engine(Target(replica="d", url="http://10.0.0.1:8000", pool=Pool.DECODE, model="", model_root="")),))


BOTH = (PREFILL, DECODE)
LISTED: dict[str, Any] = {"replica": "d", "url": "http://d", "pool": Pool.DECODE, "model": "m", "model_root": "/models/m"}
CONFIGURED = Process(("vllm", "serve", "--config", "engine.yaml"), {"PYTHONHASHSEED": "0"}, 0.05)
INSIDE = process('{"kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both"}')
MONITOR = Metadata(name="kvdeck", namespace="serving", labels={"release": "watch"})


def cluster(selected: bool) -> Facts:
    watch = PrometheusSpec(service_monitor_selector=LabelSelector({"release": "watch" if selected else "other"}))
    told = KubePrometheus(Metadata(name="p", namespace="serving"), watch)
    return replace(SOUND, monitored=Monitored(Operator((told,), ((Kind.SERVICE_MONITOR, MONITOR),), {})))


def verdicts(facts: Facts) -> dict[str, Verdict]:
    return {result.check.id: result.verdict for result in examine(facts)}


def decode(**changed: Any) -> Facts:
    return replace(SOUND, engines=(PREFILL, replace(DECODE, **changed)))


def prometheus(**changed: Any) -> Facts:
    return replace(SOUND, prometheus=replace(PROMETHEUS, **changed))


def server(status: dict[str, Any]) -> Facts:
    return replace(SOUND, cache_server=CacheServer(status, frozenset()))


def unnamed(name: str, root: str) -> Engine:
    """An engine of a list that says no model."""
    listed = Target(replica=name, url=f"http://{name}", pool=Pool.DECODE, model="", model_root="")
    return replace(DECODE, target=listed, roots=(root,))


def prefill(**changed: Any) -> Facts:
    return replace(SOUND, engines=(replace(PREFILL, **changed), DECODE))


def store(**changed: Any) -> Facts:
    return replace(SOUND, store=replace(STORE, **changed))


def lent(seconds: float) -> Process:
    extra = {"kv_lease_duration": seconds}
    return process(json.dumps({"kv_connector": "NixlConnector", "kv_role": "kv_both", "kv_connector_extra_config": extra}))


def older(**changed: float) -> Facts:
    """A fleet of vLLM 0.20, whose KV is kept for a time that nothing lengthens."""
    told = exposition(queue=changed["queue"])
    return replace(SOUND, engines=(replace(PREFILL, version="0.20.2"), replace(DECODE, version="0.20.2", samples=told)))


def test_nothing_is_wrong_with_a_sound_fleet() -> None:
    assert {name: found for name, found in verdicts(SOUND).items() if found is not Verdict.PASS} == {
        "monitors_selected": Verdict.NOT_APPLICABLE,
        "multiproc_folder": Verdict.NOT_APPLICABLE,
    }


def test_what_a_fleet_does_not_tell_is_never_called_well() -> None:
    passed = {name for name, found in verdicts(BARE).items() if found is Verdict.PASS}
    assert passed == {"engines_answer"}


def test_a_fleet_of_no_engines_is_unknown() -> None:
    assert set(verdicts(Facts(())).values()) == {Verdict.UNKNOWN}


@pytest.mark.parametrize(
    ("check", "facts"),
    [
        ("engines_answer", decode(fault="ConnectError")),
        ("equal_versions", decode(version="0.33.0")),
        ("clocks", decode(skew=Skew(5.0, 7.0))),
        ("equal_block_size", decode(samples=exposition(block_size="16"))),
        ("hash_algorithm", decode(samples=exposition(prefix_caching_hash_algo="sha256"))),
        ("prefix_caching", decode(samples=exposition(enable_prefix_caching="False"))),
        ("hash_seed", decode(process=process(transfer("kv_consumer"), PYTHONHASHSEED="1"))),
        ("hash_seed", decode(process=process(transfer("kv_consumer")))),
        ("kv_events", decode(events=())),
        ("kv_replay", decode(replays=False)),
        ("model_path", decode(roots=("/models/m/",))),
        ("model_path", replace(SOUND, cache_server=replace(SERVER, models=frozenset({"m"})))),
        ("lmcache_healthy", server({"is_healthy": True, "storage_manager": {"l2_adapters": [{"is_healthy": False}]}})),
        ("lmcache_healthy", replace(SOUND, cache_server=CacheServer(None, None, "ConnectError"))),
        ("l2_attached", server({"storage_manager": {"num_l2_adapters": 0}})),
        ("connectors", decode(process=process(transfer("kv_producer")))),
        ("connectors", decode(process=process("{"))),
        (
            "connectors",
            decode(process=process(transfer("kv_both", connector="MooncakeConnector", beside="Other"))),
        ),
        ("connectors", decode(process=process('{"kv_role": "kv_both"}'))),
        ("load_failure", decode(process=process(transfer("kv_consumer", policy="fail")))),
        ("lease", replace(SOUND, engines=(replace(PREFILL, samples=exposition(late=1.0)), DECODE))),
        ("lease_length", decode(samples=exposition(prefill=35.0))),
        ("lease_length", decode(samples=exposition(prefill=60.0))),
        ("lease_length", prefill(process=lent(0.9))),
        ("lease_length", older(queue=60.0)),
        ("nixl_polling", decode(process=process(transfer("kv_consumer"), cores=0.97))),
        ("store_room", store(fault="ConnectionError")),
        ("store_room", store(policy="noeviction", used=2**30)),
        ("store_room", store(limit=0, refuses="it is a replica, and read-only")),
        ("l2_effective", store(address=L2Address("redis", "10.0.0.2", 6380))),
        ("l2_effective", replace(SOUND, cache_server=replace(SERVER, l2=()))),
        ("nixl_telemetry", decode(samples=exposition(failed=40.0, completed=0.0))),
        ("multiproc_folder", decode(process=INSIDE)),
        ("retention", prometheus(retention="3h")),
        ("rules_loaded", prometheus(rules=(Rule("Other", "up", "ok"),))),
        ("rules_loaded", prometheus(rules=(Rule("KvdeckX", "up", "err"),))),
        ("monitors_selected", cluster(selected=False)),
        ("scrapes", prometheus(scrapes=(Scrape("engines/d", "down", 0.0, 10.0),))),
        ("scrapes", prometheus(scrapes=(Scrape("engines/d", "up", 9.5, 10.0),))),
    ],
)
def test_each_fault_fails_its_check(check: str, facts: Facts) -> None:
    assert verdicts(facts)[check] is Verdict.FAIL


@pytest.mark.parametrize(
    ("check", "facts"),
    [
        ("lease_length", decode(samples=exposition(queue=60.0))),  # a request that waits renews the lease
        ("lease_length", older(queue=35.0)),
        (
            "lease_length",
            replace(SOUND, engines=(replace(PREFILL, process=lent(41.0)), replace(DECODE, samples=exposition(prefill=35.0)))),
        ),
        ("monitors_selected", cluster(selected=True)),
        ("kv_events", decode(events=None)),  # it replays them
        ("store_room", store(policy="noeviction")),
        ("store_room", store(policy="noeviction", limit=0)),
    ],
)
def test_what_is_within_bounds_passes(check: str, facts: Facts) -> None:
    assert verdicts(facts)[check] is Verdict.PASS


@pytest.mark.parametrize(
    ("check", "facts"),
    [
        ("lease_length", prefill(version="0.21.1")),  # somewhere here the lease took the timeout's place
        ("lease_length", prefill(process=None)),
        ("hash_seed", decode(process=replace(process(transfer("kv_consumer")), whole=False))),  # its image may set it
        ("multiproc_folder", decode(process=replace(INSIDE, whole=False))),
        ("monitors_selected", replace(SOUND, monitored=Monitored(None, fault="403"))),
        ("monitors_selected", replace(SOUND, monitored=Monitored(Operator((), (), {})))),
        ("nixl_polling", decode(process=process(transfer("kv_consumer"), cores=0.97), samples=exposition(running=1.0))),
        ("nixl_polling", decode(process=process(transfer("kv_consumer"), cores=None))),
        ("store_room", store(policy=None)),
        ("equal_block_size", replace(SOUND, engines=tuple(replace(each, samples=exposition(block_size="None")) for each in BOTH))),
        ("prefix_caching", decode(samples=exposition(enable_prefix_caching="None"))),
        ("kv_events", decode(events=None, replays=None, target=Target(**LISTED, kv_events="tcp://d:5557"))),
        ("kv_events", decode(fault="ConnectError", events=None, replays=None, target=Target(**LISTED, kv_events="tcp://d:5557"))),
        ("model_path", replace(SOUND, engines=(unnamed("p", "/models/a"), unnamed("d", "/models/b")))),
        ("lmcache_healthy", server({"is_healthy": None})),
        ("connectors", decode(process=CONFIGURED)),
        ("load_failure", decode(process=CONFIGURED)),
        ("lease_length", prefill(process=CONFIGURED)),
        ("nixl_polling", decode(process=CONFIGURED)),
        ("multiproc_folder", decode(process=CONFIGURED)),
        ("lease", prefill(samples=Samples([Sample("vllm:nixl_num_notifications_after_expiry_total", {}, 0.0)]))),
        ("retention", prometheus(size_limit="10GB")),
        ("rules_loaded", prometheus(rules=(Rule("KvdeckX", "rate(x[6h])", "unknown"),))),
        ("l2_effective", replace(SOUND, cache_server=replace(SERVER, l2=None))),
        ("lmcache_version", replace(SOUND, cache_server=replace(SERVER, version=None))),
        ("lmcache_version", replace(SOUND, cache_server=replace(SERVER, version="0.3.9post2"))),
        ("lmcache_version", decode(version=None)),
    ],
)
def test_what_is_not_told_is_unknown(check: str, facts: Facts) -> None:
    assert verdicts(facts)[check] is Verdict.UNKNOWN


@pytest.mark.parametrize("written", ["--kv-transfer-config", "--kv_transfer_config"])
def test_an_option_is_read_as_vllm_reads_it(written: str) -> None:
    config = transfer("kv_both")
    for arguments in ((written, config), (f"{written}={config}",)):
        assert Process(arguments, {}).connectors()[0]["kv_role"] == "kv_both"
    assert Process((written,), {}).connectors() == []


def test_too_few_transfers_tell_nothing_of_telemetry() -> None:
    assert verdicts(decode(samples=exposition(failed=3.0, completed=0.0)))["nixl_telemetry"] is Verdict.UNKNOWN


def test_a_fleet_in_one_pool_has_nothing_to_do_with_hand_overs() -> None:
    found = verdicts(replace(SOUND, engines=(DECODE,)))
    assert {found[name] for name in ("connectors", "lease", "lease_length", "load_failure", "nixl_telemetry")} == {
        Verdict.NOT_APPLICABLE
    }


def test_prefill_engines_alone_have_nothing_that_is_well_with_hand_overs() -> None:
    found = verdicts(replace(SOUND, engines=(PREFILL,)))
    assert {found[name] for name in ("connectors", "lease_length", "load_failure", "nixl_telemetry")} == {Verdict.UNKNOWN}


def test_unknown_fails_only_when_asked_strictly() -> None:
    results = examine(BARE)
    assert (holds(results, strict=False), holds(results, strict=True)) == (True, False)
    assert not holds(examine(decode(replays=False)), strict=False)
