"""Desired state as an endpoint that the operator's definition takes, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.control.state import Bounds, Dpd, LoadLimits, ModelState, Pools, PoolState
from stack.kube.hyperpod.exported import Exported, NotExpressibleError, exported
from stack.kube.hyperpod.imported import imported
from stack.kube.hyperpod.notes import NoteKind
from stack.kube.hyperpod.reading import read
from tests.stack.kube.hyperpod.samples import GPU, STRATEGIES, disaggregated, endpoint, full, routing, said, schema, worker
from tests.stack.kube.stand_in.schema import faults, pruned

# Names as clients write them; vLLM takes any.
NAMES = st.sampled_from(("llama", "Llama-3.3-70B-Instruct", "meta-llama/Llama-3.1-8B", "smollm2", "a_b", "x" * 80, "...", "ü"))
quick = settings(max_examples=20)
ALONE = ModelState(strategy="round_robin", dpd=Dpd(enabled=False))


@st.composite
def expressible(draw: st.DrawFn) -> ModelState:
    """Everything that an endpoint can say without a base."""
    disaggregates = draw(st.booleans())
    decoders = 1 if disaggregates else draw(st.integers(1, 64))
    limits = LoadLimits()
    if draw(st.booleans()):
        each = draw(st.one_of(st.none(), st.integers(1, 1000)))
        limits = LoadLimits(in_flight_per_engine=draw(st.integers(1, 10_000)), queue=(each or 0) * decoders, queue_per_engine=each)
    prefill = draw(st.integers(1, 64)) if disaggregates else 0
    return ModelState(
        strategy=draw(st.sampled_from(STRATEGIES)),
        dpd=Dpd(routing_threshold=draw(st.integers(0, 10_000_000))) if disaggregates else Dpd(enabled=False),
        pools=Pools(prefill=PoolState(replicas=prefill), decode=PoolState(replicas=decoders)),
        limits=limits,
    )


def write(state: ModelState, base: dict[str, Any] | None = None, model: str = "llama", *, lenient: bool = False) -> Exported:
    return exported(model, state, STRATEGIES, base, lenient=lenient)


def check(document: dict[str, Any]) -> None:
    """The operator's definition takes it whole: nothing is refused and nothing is dropped."""
    body = {"spec": document["spec"]}
    shape = {"type": "object", "properties": {"spec": schema()["properties"]["spec"]}, "required": ["spec"]}
    assert list(faults(body, shape)) == []
    assert pruned(body, shape) == body


@quick
@given(NAMES, expressible())
def test_what_is_written_is_taken_by_the_definition(model: str, state: ModelState) -> None:
    check(write(state, model=model).document)


@quick
@given(NAMES, expressible())
def test_what_is_written_is_read_back(model: str, state: ModelState) -> None:
    document = write(state, model=model).document
    assert (imported(document, STRATEGIES).desired.models, read(document).unknown) == ({model: state}, ())


@quick
@given(expressible(), st.sampled_from([None, "kvaware", "session"]))
def test_on_a_base_everything_that_is_not_desired_state_stays(state: ModelState, strategy: str | None) -> None:
    own = {"metrics": {"enabled": False}, "pdSpec": disaggregated(topologySpec={"sameAZ": False})}
    base = endpoint(intelligentRoutingSpec=None if strategy is None else routing(strategy), **own)
    spec = write(state, base).document["spec"]
    assert imported(endpoint(**spec), STRATEGIES).desired.models == {"llama": state}
    assert (spec["metrics"], spec["worker"]["image"]) == (own["metrics"], base["spec"]["worker"]["image"])
    assert spec.get("pdSpec", own["pdSpec"])["topologySpec"] == {"sameAZ": False}


@quick
@given(expressible())
def test_on_a_base_it_is_taken_by_the_definition(state: ModelState) -> None:
    check(write(state, endpoint(pdSpec=disaggregated(topologySpec={"sameAZ": False}))).document)


def test_a_base_of_the_same_state_comes_back_as_it_is() -> None:
    limited = worker(requestLimits={"maxConcurrentRequests": 3})
    base = endpoint(intelligentRoutingSpec=routing(), pdSpec=disaggregated(decode=2), worker=limited)
    assert write(imported(base, STRATEGIES).desired.models["llama"], base) == Exported(base, ())


def test_the_operator_s_whole_example_comes_back_as_it_is() -> None:
    model = "Llama-3.3-70B-Instruct"
    assert write(imported(full(), STRATEGIES).desired.models[model], full(), model) == Exported(full(), ())


def test_fields_of_the_base_that_there_are_not_are_refused_by_name_or_left_out() -> None:
    base = endpoint()
    base["spec"] |= {"replicaz": 3}
    base["spec"]["worker"] |= {"envs": []}
    wanted = imported(base, STRATEGIES).desired.models
    ((model, state),) = wanted.items()
    with pytest.raises(NotExpressibleError) as refused:
        write(state, base, model)
    named = [(NoteKind.UNKNOWN, "spec.replicaz"), (NoteKind.UNKNOWN, "spec.worker.envs")]
    assert [(note.kind, note.field) for note in refused.value.notes] == named
    lossy = write(state, base, model, lenient=True)
    assert [(note.kind, note.field) for note in lossy.notes] == named
    assert read(lossy.document).unknown == ()
    assert lossy.document["spec"] == endpoint()["spec"]
    assert {"replicaz", "worker"} <= set(base["spec"])


def test_bounds_are_written_where_something_scales() -> None:
    base = endpoint(autoScalingSpec={"maxReplicaCount": 3, "cooldownPeriod": 60})
    pools = Pools(prefill=PoolState(replicas=0), decode=PoolState(replicas=4, bounds=Bounds(min=2, max=8)))
    document = write(ModelState(strategy="round_robin", dpd=Dpd(enabled=False), pools=pools), base).document
    scaling = {"minReplicaCount": 2, "maxReplicaCount": 8, "cooldownPeriod": 60}
    assert document["spec"] == base["spec"] | {"replicas": 4, "autoScalingSpec": scaling}


def test_what_the_server_added_is_left_out() -> None:
    kept = {"name": "llama", "namespace": "team", "annotations": {"own": "1"}}
    annotations = {"own": "1", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    metadata = kept | {"annotations": annotations, "uid": "u", "managedFields": []}
    served = endpoint() | {"status": {"state": "DeploymentComplete"}, "metadata": metadata}
    assert write(ALONE, served).document == endpoint() | {"metadata": kept}


def test_roles_have_the_worker_s_gpus_where_nothing_was_said_of_them() -> None:
    found = write(ModelState(pools=Pools(prefill=PoolState(replicas=3))), endpoint(intelligentRoutingSpec=routing()))
    assert found.document["spec"]["pdSpec"] == {
        "routingThreshold": 4096,
        "prefillSpec": {"resources": GPU, "replicas": 3},
        "decodingSpec": {"resources": GPU, "replicas": 1},
    }


def test_what_a_running_deployment_does_not_take_is_told() -> None:
    found = write(ModelState(strategy="kv_aware", dpd=Dpd(enabled=False)), endpoint(pdSpec=disaggregated()))
    assert said(found.notes) == [("immutable", "spec.intelligentRoutingSpec"), ("immutable", "spec.pdSpec")]


def test_another_name_is_told_to_the_engines() -> None:
    found = write(ALONE, endpoint(), "other")
    args = found.document["spec"]["worker"]["args"]
    assert args == ["/opt/ml/model", "--served-model-name", "llama", "--served-model-name", "other"]
    assert said(found.notes) == [("adjusted", "spec.worker.args")]


def test_without_a_base_what_has_to_be_filled_in_is_told() -> None:
    fields = ["instanceType", "modelSourceConfig", "worker.args", "worker.image", "worker.resources"]
    assert said(write(ALONE).notes) == [("assumed", f"spec.{field}") for field in fields]


def split(decode: int = 1, **prefill: Any) -> Pools:
    return Pools(prefill=PoolState(replicas=1, **prefill), decode=PoolState(replicas=decode))


def limited(**limits: Any) -> ModelState:
    return ModelState(pools=split(), limits=LoadLimits(**limits))


@pytest.mark.parametrize(
    ("state", "field", "word"),
    [
        (ModelState(pools=split(decode=3)), "pools.decode.replicas", "several endpoints"),
        (ModelState(dpd=Dpd(enabled=False), pools=split()), "pools.prefill.replicas", "no prefill pool"),
        (ModelState(dpd=Dpd(enabled=False, routing_threshold=9)), "dpd.routing_threshold", "pdSpec"),
        (ModelState(dpd=Dpd(min_uncached_tokens=9), pools=split()), "dpd.min_uncached_tokens", "length alone"),
        (ModelState(fallback_strategy="session", pools=split()), "fallback_strategy", "by turns"),
        (ModelState(session_keys=("header:x",), pools=split()), "session_keys", "not documented"),
        (ModelState(pools=split(strategy="session")), "pools.prefill.strategy", "one routingStrategy"),
        (ModelState(pools=split(protocol="lmcache")), "pools.prefill.protocol", "operator's"),
        (ModelState(pools=split(drain_seconds=5)), "pools.prefill.drain_seconds", "operator's"),
        (ModelState(pools=split(bounds=Bounds(max=5))), "pools.prefill.bounds.max", "--base"),
        (ModelState(pools=split(gpus_per_engine=8)), "pools.prefill.gpus_per_engine", "reports"),
        (ModelState(pools=split(parameters={"session": {"load": 1}})), "pools.prefill.parameters.session.load", "no such field"),
        (limited(in_flight=4), "limits.in_flight", "per_engine"),
        (limited(in_flight_per_engine=4, queue=7), "limits.queue_per_engine", "queue of its own"),
        (limited(in_flight_per_engine=4, queue_seconds=7), "limits.queue_seconds", "as long"),
        (ModelState(pools=split(), shadow_share=0.5), "shadow_share", "router's own"),
        (ModelState(pools=split(), eject_stalled=True), "eject_stalled", "router's own"),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_field_and_told_where_loss_is_asked_for(
    state: ModelState, field: str, word: str
) -> None:
    with pytest.raises(NotExpressibleError) as caught:
        write(state)
    (note,) = caught.value.notes
    assert (note.kind, note.field, word in note.text) == ("adjusted", f"models.llama.{field}", True)
    lossy = write(state, lenient=True)
    assert note in lossy.notes
    check(lossy.document)
