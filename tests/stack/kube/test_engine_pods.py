"""Which pods are engines."""

from typing import Any

import msgspec
import pytest

from stack.kube.engine_pods import ROLE_LABELS, Selection, engines
from stack.kube.objects import Pod
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.kube.server import pod

SELECTION = Selection("app=vllm")


def read(document: dict[str, Any], selection: Selection = SELECTION) -> list[Target]:
    return engines([msgspec.convert(document, Pod)], selection)


def test_a_pod_that_runs_is_an_engine_of_its_name() -> None:
    assert read(pod("llm-0", "10.0.0.7")) == [
        Target(replica="llm-0", url="http://10.0.0.7:8000", pool=Pool.DECODE, model="", model_root="", namespace="default")
    ]


@pytest.mark.parametrize(
    ("labels", "pool"),
    [
        ({ROLE_LABELS[0]: "prefill"}, Pool.PREFILL),
        ({ROLE_LABELS[0]: "decode"}, Pool.DECODE),
        ({ROLE_LABELS[1]: "prefill"}, Pool.PREFILL),
        ({ROLE_LABELS[1]: "both"}, Pool.DECODE),
        ({"role": "prefill"}, Pool.DECODE),
    ],
)
def test_the_role_comes_from_the_operators_labels(labels: dict[str, str], pool: Pool) -> None:
    assert [one.pool for one in read(pod("a", "10.0.0.1", metadata={"labels": labels}))] == [pool]


def test_a_role_label_of_ones_own_takes_their_place() -> None:
    labels = {"role": "prefill", ROLE_LABELS[0]: "decode"}
    found = read(pod("a", "10.0.0.1", metadata={"labels": labels}), Selection("app=vllm", role_labels=("role",)))
    assert [one.pool for one in found] == [Pool.PREFILL]


def test_a_named_port_is_that_of_the_container_that_has_it() -> None:
    containers = [{"ports": [{"containerPort": 8081, "name": "proxy"}]}, {"ports": [{"containerPort": 8200, "name": "metrics"}]}]
    by_name = Selection("app=vllm", port="metrics")
    assert [one.url for one in read(pod("a", "10.0.0.1", spec={"containers": containers}), by_name)] == ["http://10.0.0.1:8200"]
    assert [one.url for one in read(pod("a", "10.0.0.1", spec={"initContainers": containers}), by_name)] == ["http://10.0.0.1:8200"]
    assert read(pod("a", "10.0.0.1"), by_name) == []


@pytest.mark.parametrize("status", [{"phase": "Pending"}, {"phase": "Succeeded", "podIP": "10.0.0.1"}, {"phase": "Running"}, {}])
def test_a_pod_without_an_address_or_at_its_end_is_none(status: dict[str, str]) -> None:
    assert read({**pod("a", ""), "status": status}) == []


def test_a_pod_that_is_being_ended_leaves_and_ipv6_is_an_address() -> None:
    (found,) = read(pod("a", "fd00::7", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}))
    assert (found.leaving, found.url) == (True, "http://[fd00::7]:8000")


def test_kv_events_are_at_the_ports_that_are_said() -> None:
    (found,) = read(pod("a", "10.0.0.1"), Selection("app=vllm", kv_events_port=5557, replay_port=5558))
    assert (found.kv_events, found.replay) == ("tcp://10.0.0.1:5557", "tcp://10.0.0.1:5558")


def ready(name: str, role: str, status: str | None) -> dict[str, Any]:
    """A pod whose node says so of its readiness, None where it says nothing."""
    found = pod(name, "10.0.0.1", metadata={"labels": {ROLE_LABELS[0]: role}})
    conditions = [] if status is None else [{"type": "Ready", "status": status}]
    return {**found, "status": {**found["status"], "conditions": conditions}}


def test_a_pod_that_is_not_ready_is_out_of_service_where_another_of_its_role_is_ready() -> None:
    told = [("p", "prefill", "False"), ("d0", "decode", "True"), ("d1", "decode", "False"), ("d2", "decode", None)]
    found = engines([msgspec.convert(ready(*one), Pod) for one in told], SELECTION)
    assert {one.replica: one.ready for one in found} == {"p": True, "d0": True, "d1": False, "d2": True}
