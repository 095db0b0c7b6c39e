"""A cluster's engines, and what is known of them without asking them."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from stack.doctor.facts import Monitored, Process
from stack.doctor.kubernetes_facts import Cluster, ask_cluster
from stack.kube.access import Access
from stack.kube.api import KubeError
from stack.kube.engine_pods import Selection
from stack.kube.objects import Metadata
from stack.kube.operator import AGENTS, GROUP, Kind, LabelSelector, Prometheus, PrometheusSpec
from tests.stack.kube.server import pod, pods, refusal

ACCESS = Access("https://kube", "serving", True, lambda: "Bearer t")
TRANSFER = json.dumps({"kv_connector": "NixlConnector", "kv_role": "kv_both"})
SCRIPT = f"exec vllm serve m --kv-transfer-config '{TRANSFER}' # it's quoted"
PODS = "/api/v1/namespaces/serving/pods"
ENV = [{"name": "PYTHONHASHSEED", "value": "0"}, {"name": "HF_TOKEN", "value": "secret"}]


def container(**told: Any) -> dict[str, Any]:
    return {"spec": {"containers": [told]}}


def named(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "serving", "labels": labels}, "spec": {"other": 1}}


def answers(**changed: Any) -> dict[str, Any]:
    selectors = {"serviceMonitorSelector": {"matchLabels": {"release": "watch"}}, "ruleSelector": {}}
    return {
        PODS: pods(
            pod("args", "10.0.0.1", **container(args=["--model", "m", "--kv-transfer-config", TRANSFER], env=ENV)),
            pod("shell", "10.0.0.2", **container(command=["/bin/sh", "-c"], args=[SCRIPT])),
            pod("proxy", "10.0.0.3", **container(args=["--listen"])),
        ),
        f"{GROUP}/prometheuses": pods({"metadata": {"name": "p", "namespace": "monitoring"}, "spec": selectors}),
        "/api/v1/namespaces": pods(named("serving", team="llm")),
        **{f"{GROUP}/namespaces/serving/{kind}": pods() for kind in Kind},
        f"{GROUP}/namespaces/serving/servicemonitors": pods(named("kvdeck", release="other")),
        **changed,
    }


async def ask(told: Mapping[str, Any], selection: Selection = Selection("app=vllm")) -> Cluster:  # noqa: B008
    def answer(request: httpx.Request) -> httpx.Response:
        found = told.get(request.url.path, refusal(404, "no such kind"))
        return found if isinstance(found, httpx.Response) else httpx.Response(200, json=found)

    return await ask_cluster(ACCESS, selection, httpx.MockTransport(answer))


async def test_pods_are_engines_and_their_specs_tell_of_processes_but_not_of_other_secrets() -> None:
    found = await ask(answers())
    assert [(target.replica, target.url) for target in found.targets] == [
        ("args", "http://10.0.0.1:8000"), ("proxy", "http://10.0.0.3:8000"), ("shell", "http://10.0.0.2:8000"),
    ]  # fmt: skip
    assert found.processes.keys() == {"http://10.0.0.1:8000", "http://10.0.0.2:8000"}
    args, shell = found.processes["http://10.0.0.1:8000"], found.processes["http://10.0.0.2:8000"]
    assert args == Process(("--model", "m", "--kv-transfer-config", TRANSFER), {"PYTHONHASHSEED": "0"}, whole=False)
    assert [config["kv_connector"] for config in shell.connectors()] == ["NixlConnector"]
    assert (args.variable("PYTHONHASHSEED", "unset"), shell.variable("PYTHONHASHSEED", "unset")) == ("0", None)


async def test_what_the_operator_is_told_is_read() -> None:
    operator = (await ask(answers())).monitored.operator
    assert operator is not None
    spec = PrometheusSpec(service_monitor_selector=LabelSelector({"release": "watch"}), rule_selector=LabelSelector())
    assert operator.prometheuses == (Prometheus(Metadata(name="p", namespace="monitoring"), spec),)
    assert operator.namespaces == {"serving": {"team": "llm"}}
    kept = Metadata(name="kvdeck", namespace="serving", labels={"release": "other"})
    assert operator.objects == tuple(operator.left()) == ((Kind.SERVICE_MONITOR, kept),)


async def test_agents_are_asked_where_the_operator_knows_them() -> None:
    agent = {"metadata": {"name": "a", "namespace": "serving"}, "spec": {"serviceMonitorSelector": {}}}
    operator = (await ask(answers(**{AGENTS: pods(agent)}))).monitored.operator
    assert operator is not None
    assert list(operator.left()) == []


async def test_a_cluster_without_the_operator_has_none() -> None:
    assert (await ask({PODS: pods()})).monitored == Monitored(None)


async def test_what_may_not_be_listed_is_told_and_the_engines_are_there_all_the_same() -> None:
    found = await ask(answers(**{"/api/v1/namespaces": refusal(403, "namespaces is forbidden")}))
    assert found.monitored == Monitored(None, fault="KubeError: 403 namespaces is forbidden")
    assert len(found.targets) == 3


async def test_pods_that_may_not_be_listed_are_an_error() -> None:
    with pytest.raises(KubeError, match="pods is forbidden"):
        await ask({PODS: refusal(403, "pods is forbidden")})


async def test_everywhere_is_asked_at_once() -> None:
    told = {
        "/api/v1/pods": pods(pod("a", "10.0.0.1", namespace="x")),
        f"{GROUP}/prometheuses": pods(),
        "/api/v1/namespaces": pods(),
    }
    found = await ask({**told, **{f"{GROUP}/{kind}": pods() for kind in Kind}}, Selection("app=vllm", ("*",)))
    assert [target.replica for target in found.targets] == ["x/a"]
    assert found.monitored.operator is not None
