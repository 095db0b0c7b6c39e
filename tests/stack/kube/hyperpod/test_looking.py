"""An endpoint against what an API server tells of it."""

from __future__ import annotations

from typing import Any

import httpx

from stack.kube.hyperpod.comparison import Facts, Steered, compare
from stack.kube.hyperpod.looking import look
from stack.kube.hyperpod.reading import read
from stack.kube.hyperpod.rows import Finding, Row, Standing
from tests.stack.kube.hyperpod.cluster import ACCESS, STORAGE, cluster, deploy, engine, run_pod
from tests.stack.kube.hyperpod.samples import disaggregated, endpoint, routing, worker
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import InProcess

SYSTEM = "hyperpod-inference-system"
TIERED = {"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "tieredstorage"}}
TOLD = {"LMCACHE_LOCAL_CPU": "true", "LMCACHE_REMOTE_URL": STORAGE}
WANTED = endpoint(intelligentRoutingSpec=routing("prefixaware"), pdSpec=disaggregated(), kvCacheSpec=TIERED)


def fleet(**told: str) -> StandIn:
    server = cluster()
    deploy(server, WANTED, state="DeploymentComplete", observedGeneration=1)
    for name, role in (("prefill-llama-a", "prefill"), ("prefill-llama-b", "prefill"), ("decode-llama-c", "decode")):
        run_pod(server, name, engine(**(told or TOLD)), role=role)
    run_pod(server, "prefill-other-x", engine(), role="prefill")
    run_pod(server, "llama-default-router-0", {"args": ["--port", "80"]}, namespace=SYSTEM)
    return server


async def asked(server: StandIn, document: dict[str, Any] = WANTED, selector: str | None = None) -> Facts:
    return await look(ACCESS, read(document).resource, "default", selector, InProcess(server))


async def rows(server: StandIn, document: dict[str, Any] = WANTED, selector: str | None = None) -> dict[str, Row]:
    found = compare(read(document).resource, await asked(server, document, selector))
    return {
        row.field.rpartition(".")[2] if row.field.startswith("status") else row.field.removeprefix("spec."): row for row in found
    }


def standings(found: dict[str, Row]) -> dict[str, str]:
    return {name: row.standing.value for name, row in found.items()}


async def test_what_runs_as_it_should_is_equal_and_what_hyperpod_hides_is_unknown() -> None:
    assert standings(await rows(fleet())) == {
        "observedGeneration": "equal",
        "state": "equal",
        "intelligentRoutingSpec.enabled": "equal",
        "intelligentRoutingSpec.routingStrategy": "unknown",
        "pdSpec.routingThreshold": "unknown",
        "pdSpec.prefillSpec.replicas": "equal",
        "pdSpec.decodingSpec.replicas": "equal",
        "kvCacheSpec.enableL1Cache": "equal",
        "kvCacheSpec.l2CacheSpec.l2CacheBackend": "equal",
        "worker.image": "equal",
    }


async def test_the_operator_s_router_tells_its_strategy_where_its_arguments_show_it() -> None:
    server = fleet()
    router = {"args": ["--port", "80", "--routing-logic", "roundrobin"]}
    run_pod(server, "llama-default-router-5d8-x", router, namespace=SYSTEM)
    run_pod(server, "other-default-router-1", {"args": ["--routing-logic", "session"]}, namespace=SYSTEM)
    row = (await rows(server))["intelligentRoutingSpec.routingStrategy"]
    assert (row.standing, row.seen) == (Standing.DIFFERS, "roundrobin")


async def test_a_router_that_is_enabled_and_does_not_run_differs() -> None:
    server = cluster()
    deploy(server, WANTED)
    row = (await rows(server))["intelligentRoutingSpec.enabled"]
    assert (row.standing, row.evidence) == (Standing.DIFFERS, f"router pods in {SYSTEM}: none")


async def test_limits_of_requests_are_not_seen() -> None:
    found = await rows(fleet(), endpoint(worker=worker(requestLimits={"maxConcurrentRequests": 4})))
    assert (found["worker.requestLimits"].wanted, found["worker.requestLimits"].standing) == ("4 at once, none waiting", "unknown")


async def test_pods_that_are_missing_or_not_ready_are_counted() -> None:
    server = cluster()
    deploy(server, WANTED)
    run_pod(server, "prefill-llama-a", engine(**TOLD), role="prefill")
    run_pod(server, "decode-llama-c", engine(**TOLD), role="decode", ready=False)
    found = await rows(server)
    assert [(row.standing.value, row.wanted, row.seen) for name, row in found.items() if "replicas" in name] == [
        ("differs", "2 ready", "1 ready"), ("differs", "1 ready", "0 ready, 1 not"),
    ]  # fmt: skip


async def test_a_redis_that_is_ignored_is_a_finding_of_its_own() -> None:
    own = worker(
        environmentVariables=[
            {"name": "LMCACHE_REMOTE_URL", "value": "redis://:pw@r"},
            {"name": "LMCACHE_CHUNK_SIZE", "value": "1"},
        ]
    )
    wanted = endpoint(
        pdSpec=disaggregated(), worker=own, kvCacheSpec={"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "redis"}}
    )
    found = await rows(fleet(), wanted)
    l2 = found["kvCacheSpec.l2CacheSpec.l2CacheBackend"]
    assert (l2.standing, l2.wanted, l2.seen, l2.finding) == ("differs", "redis", "sagemaker-hyperpod", Finding.REDIS_IGNORED)
    stripped = found["worker.environmentVariables"]
    assert (stripped.standing, stripped.seen, stripped.finding) == (
        "differs", "without LMCACHE_CHUNK_SIZE", Finding.VARIABLES_STRIPPED,
    )  # fmt: skip
    assert not any("pw" in row.evidence for row in found.values())


async def test_a_redis_that_is_there_is_equal() -> None:
    wanted = endpoint(pdSpec=disaggregated(), kvCacheSpec={"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "Redis"}})
    found = await rows(fleet(LMCACHE_REMOTE_URL="redis://r:6379"), wanted)
    assert found["kvCacheSpec.l2CacheSpec.l2CacheBackend"].standing is Standing.EQUAL


async def test_engines_whose_specs_do_not_tell_leave_tiers_unknown() -> None:
    found = await rows(fleet(PYTHONHASHSEED="0"))
    tiers = [row for name, row in found.items() if name.startswith("kvCacheSpec")]
    assert {(row.standing.value, "its image may have" in row.evidence) for row in tiers} == {("unknown", True)}


async def test_a_file_of_lmcache_s_own_leaves_tiers_unknown() -> None:
    found = await rows(fleet(), endpoint(pdSpec=disaggregated(), kvCacheSpec={"cacheConfigFile": "/c"}))
    assert found["kvCacheSpec"].standing is Standing.UNKNOWN


async def test_pods_of_an_endpoint_without_roles_are_those_its_status_selects() -> None:
    wanted = endpoint(replicas=1)
    server = cluster()
    deploy(server, wanted, selector="app=llama", state="DeploymentInProgress")
    run_pod(server, "llama-1", engine(), app="llama")
    run_pod(server, "llama-2", engine(), app="other")
    found = await rows(server, wanted)
    assert (found["replicas"].standing, found["state"].standing) == (Standing.EQUAL, Standing.DIFFERS)
    assert (await rows(server, wanted, selector="app"))["replicas"].seen == "2 ready"


async def test_where_nothing_selects_the_pods_they_are_unknown() -> None:
    server = cluster()
    deploy(server, endpoint())
    found = await rows(server, endpoint())
    assert ("--selector" in found["replicas"].evidence, found["replicas"].standing) == (True, Standing.UNKNOWN)


async def test_what_an_operator_never_takes_is_told() -> None:
    found = await rows(fleet(), endpoint(intelligentRoutingSpec={"enabled": False}))
    assert {row.field: row.finding for row in found.values() if row.finding} == {
        "spec.intelligentRoutingSpec.enabled": Finding.IMMUTABLE, "spec.pdSpec": Finding.IMMUTABLE,
    }  # fmt: skip


async def test_a_cluster_that_does_not_answer_leaves_all_unknown() -> None:
    server = fleet()
    transport = InProcess(server)
    transport.broken = httpx.ConnectError("refused")
    facts = await look(ACCESS, read(WANTED).resource, "default", None, transport)
    assert {row.standing for row in compare(read(WANTED).resource, facts)} == {Standing.UNKNOWN}


async def test_kvdeck_s_routers_tell_what_they_apply() -> None:
    facts = Facts(steered=Steered("prefix_aware", 512, "two routers"))
    found = {row.field: row for row in compare(read(WANTED).resource, facts)}
    strategy, threshold = found["spec.intelligentRoutingSpec.routingStrategy"], found["spec.pdSpec.routingThreshold"]
    assert (strategy.standing, threshold.standing, threshold.seen) == ("equal", "differs", "512")


async def test_routing_by_cache_wants_a_pair_of_versions_that_is_documented() -> None:
    wanted = endpoint(intelligentRoutingSpec=routing("kvaware"), pdSpec=disaggregated())
    resource, seen = read(wanted).resource, await asked(fleet(), wanted)
    assert seen.pods is not None
    as_documented = compare(resource, seen)[-1]
    assert (as_documented.finding, as_documented.seen) == (Finding.UNDOCUMENTED_PAIR, "vLLM 0.19.0 with LMCache 0.4.3")
    newer = Facts(pods=seen.pods, versions={pod.name: "0.19.1" for pod in seen.pods})
    assert compare(resource, newer)[-1].standing is Standing.EQUAL
