"""An endpoint as desired state, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from stack.control.refusal import RefusedError
from stack.control.state import Bounds, Dpd, LoadLimits, ModelState, Pools, PoolState
from stack.kube.hyperpod import reading
from stack.kube.hyperpod.imported import Imported, imported
from tests.stack.kube.hyperpod.samples import STRATEGIES, disaggregated, endpoint, full, routing, said, worker


def read(document: dict[str, Any], model: str | None = None) -> Imported:
    return imported(document, STRATEGIES, model)


def state(**spec: Any) -> ModelState:
    found = read(endpoint(**spec))
    return found.desired.models[found.model]


def test_the_operator_s_whole_example_is_read() -> None:
    assert read(full()).desired.models == {
        "Llama-3.3-70B-Instruct": ModelState(
            strategy="prefix_aware",
            dpd=Dpd(enabled=True, routing_threshold=4096),
            pools=Pools(prefill=PoolState(replicas=2, bounds=Bounds(min=1, max=4)), decode=PoolState(replicas=1)),
            limits=LoadLimits(in_flight_per_engine=64, queue=128, queue_per_engine=128),
        )
    }


@pytest.mark.parametrize("theirs", ["kvaware", "prefixaware", "session", "roundrobin"])
def test_strategies_have_kvdeck_s_names(theirs: str) -> None:
    assert state(intelligentRoutingSpec=routing(theirs)).strategy.replace("_", "") == theirs


def test_nothing_said_is_hyperpod_s_default_and_said_to_be() -> None:
    found = read(endpoint(intelligentRoutingSpec={"enabled": True}, pdSpec={"prefillSpec": {}, "decodingSpec": {}}))
    assert found.desired.models["llama"] == ModelState(
        strategy="prefix_aware", dpd=Dpd(routing_threshold=4096), pools=Pools(prefill=PoolState(replicas=1))
    )
    assert [note.field for note in found.notes if note.kind == "defaulted"] == [
        "spec.intelligentRoutingSpec.routingStrategy",
        "spec.kvCacheSpec.enableL1Cache",
        "spec.kvCacheSpec.enableL2Cache",
        "spec.pdSpec.decodingSpec.replicas",
        "spec.pdSpec.prefillSpec.replicas",
        "spec.pdSpec.routingThreshold",
    ]


def test_without_pd_spec_all_engines_decode() -> None:
    found = state(replicas=3, autoScalingSpec={"minReplicaCount": 2})
    decode = PoolState(replicas=3, bounds=Bounds(min=2, max=5))
    assert (found.dpd.enabled, found.pools) == (False, Pools(prefill=PoolState(replicas=0), decode=decode))


def test_replicas_that_whoever_scales_would_change_at_once_are_taken_as_changed() -> None:
    found = read(endpoint(replicas=1, autoScalingSpec={"minReplicaCount": 2, "maxReplicaCount": 5_000}))
    assert found.desired.models["llama"].pools.decode == PoolState(replicas=2, bounds=Bounds(min=2, max=1024))
    adjusted = [field for kind, field in said(found.notes) if kind == "adjusted"]
    assert adjusted == ["spec.autoScalingSpec.maxReplicaCount", "spec.replicas"]


def test_a_load_balancer_alone_is_taken_for_turns() -> None:
    found = read(endpoint(intelligentRoutingSpec={"routingStrategy": "kvaware"}))
    assert found.desired.models["llama"].strategy == "round_robin"
    expected = {("differs", "spec.intelligentRoutingSpec"), ("ignored", "spec.intelligentRoutingSpec.routingStrategy")}
    assert expected <= set(said(found.notes))


def test_the_model_is_what_clients_call_it() -> None:
    assert read(endpoint(worker=worker(args=["--served_model_name=a/b"]))).model == "a/b"
    assert read(endpoint(worker=worker(args=["--served-model-name", "first", "second"]))).model == "first"
    guessed = read(endpoint(worker=worker(args=None)))
    assert (guessed.model, ("differs", "spec.modelName") in said(guessed.notes)) == ("llama", True)
    assert read(endpoint(), "own").model == "own"


@pytest.mark.parametrize(
    ("told", "ours"),
    [
        ({"maxConcurrentRequests": 8}, LoadLimits(in_flight_per_engine=8)),
        ({"maxConcurrentRequests": 8, "maxQueueSize": 5}, LoadLimits(in_flight_per_engine=8, queue=15, queue_per_engine=5)),
        ({"maxConcurrentRequests": 8, "maxQueueSize": 0}, LoadLimits(in_flight_per_engine=8)),
        ({"maxQueueSize": 5}, LoadLimits()),
    ],
)
def test_limits_of_proxies_are_limits_of_engines(told: dict[str, int], ours: LoadLimits) -> None:
    assert state(replicas=3, worker=worker(requestLimits=told)).limits == ours


def test_limits_that_do_nothing_are_told() -> None:
    path = "spec.worker.requestLimits"
    assert ("ignored", path) in said(read(endpoint(worker=worker(requestLimits={"maxQueueSize": 5}))).notes)
    refused = {"maxConcurrentRequests": 1, "overflowStatusCode": 503}
    assert ("ignored", f"{path}.overflowStatusCode") in said(read(endpoint(worker=worker(requestLimits=refused))).notes)


@pytest.mark.parametrize(
    ("cache", "kind", "field"),
    [
        ({"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "Redis"}}, "ignored", ".l2CacheSpec.l2CacheBackend"),
        ({"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "tieredstorage"}}, "kept", ".l2CacheSpec"),
        ({"enableL2Cache": True}, "ignored", ".enableL2Cache"),
        ({"l2CacheSpec": {"l2CacheBackend": "redis"}}, "ignored", ".l2CacheSpec"),
        ({"enableL1Cache": False, "cacheConfigFile": "/c.yaml"}, "ignored", ""),
        ({"enableL1Cache": False}, "kept", ".enableL1Cache"),
    ],
)
def test_tiers_are_told(cache: dict[str, Any], kind: str, field: str) -> None:
    assert (kind, f"spec.kvCacheSpec{field}") in said(read(endpoint(kvCacheSpec=cache)).notes)


# What is state, or the object around it.
SPOKEN_OF = {
    "apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "spec", "spec.worker", "spec.kvCacheSpec",
    "spec.intelligentRoutingSpec", "spec.intelligentRoutingSpec.enabled", "spec.intelligentRoutingSpec.routingStrategy",
    "spec.pdSpec.routingThreshold", "spec.pdSpec.prefillSpec", "spec.pdSpec.prefillSpec.replicas", "spec.pdSpec.decodingSpec",
    "spec.pdSpec.decodingSpec.replicas", "spec.pdSpec.autoScalingSpec", "spec.worker.requestLimits",
    "spec.pdSpec.autoScalingSpec.prefillAutoScaling.minReplicaCount",
    "spec.pdSpec.autoScalingSpec.prefillAutoScaling.maxReplicaCount",
    "spec.kvCacheSpec.enableL2Cache",  # told with l2CacheSpec
    "spec.worker.requestLimits.overflowStatusCode",  # 429, which is kvdeck's as well
}  # fmt: skip
# Notes on these are on nothing within.
WIDE = {"spec.pdSpec", "spec.pdSpec.autoScalingSpec.prefillAutoScaling"}


def test_nothing_is_dropped_without_a_word() -> None:
    about = {note.field for note in read(full()).notes}
    silent = reading.read(full()).given - SPOKEN_OF - about
    assert {path for path in silent if not any(path.startswith(f"{field}.") for field in about - WIDE)} == set()


def test_what_later_operators_know_is_told_and_no_error() -> None:
    assert said(read(endpoint(lmcache={"mode": "MultiProcess"})).notes)[0] == ("unknown", "spec.lmcache")


def test_an_old_version_has_no_router_and_no_tiers() -> None:
    found = read(endpoint(intelligentRoutingSpec=routing()) | {"apiVersion": "inference.sagemaker.aws.amazon.com/v1alpha1"})
    assert found.desired.models["llama"].strategy == "round_robin"
    assert ("ignored", "spec.intelligentRoutingSpec") in said(found.notes)


@pytest.mark.parametrize("replicas", [0, 1025])
def test_what_makes_no_sense_to_kvdeck_is_refused_by_its_own_field(replicas: int) -> None:
    with pytest.raises(RefusedError) as caught:
        read(endpoint(replicas=replicas))
    assert caught.value.field == "models.llama.pools.decode.replicas"


def test_several_decode_replicas_are_told_to_be_more_than_is_documented() -> None:
    assert ("ignored", "spec.pdSpec.decodingSpec.replicas") in said(read(endpoint(pdSpec=disaggregated(decode=2))).notes)
