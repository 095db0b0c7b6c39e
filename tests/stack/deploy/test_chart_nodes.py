"""What is read beside the exporter: the machines themselves, and engines that nobody scraped yet."""

import pytest

from stack.deploy.copies import CHART
from stack.kube.engine_pods import Selection, engines
from stack.kube.objects import Metadata, Pod, PodStatus
from tests.stack.deploy.chart import Json, manifests, one, read_yaml, refusal

(_DROP_LIST,) = read_yaml((CHART.parent / "prometheus" / "drop-list.yaml").read_text())
_HYPERPOD = {"nodes": {"enabled": True, "tierDaemon": True}}


def test_machines_are_looked_at_read_only() -> None:
    spec = one(_HYPERPOD, "DaemonSet")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    assert container["args"] == [
        "--web.listen-address=:9410",
        "--collector.fabric",
        "--fabric.root=/host/sys/class/infiniband",
        "--collector.tier_daemon",
        "--tier_daemon.url=http://$(NODE_IP):9200",
        "--tier_daemon.segment=/host/shm/ai_toolkit_cache",
    ]
    assert [mount["readOnly"] for mount in container["volumeMounts"]] == [True, True]
    assert [volume["hostPath"]["path"] for volume in spec["volumes"]] == ["/sys", "/dev/shm"]
    assert "hostNetwork" not in spec


def test_their_series_say_which_machine() -> None:
    (endpoint,) = one(_HYPERPOD, "PodMonitor")["spec"]["podMetricsEndpoints"]
    assert endpoint["relabelings"] == [
        {"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    ]


def test_they_are_scraped_as_the_exporter_is() -> None:
    own = {"action": "replace", "targetLabel": "a", "replacement": "b"}
    monitor = {"honorLabels": False, "relabelings": [own], "metricRelabelings": [{"action": "labeldrop", "regex": "x"}]}
    (endpoint,) = one({**_HYPERPOD, "serviceMonitor": monitor}, "PodMonitor")["spec"]["podMetricsEndpoints"]
    assert (endpoint["honorLabels"], endpoint["relabelings"][-1], endpoint["metricRelabelings"]) == (
        False,
        own,
        [{"action": "labeldrop", "regex": "x"}],
    )


def test_what_may_be_probed_and_how_much_of_a_store_is_looked_at_are_values() -> None:
    assert not {argument for argument in _arguments({}) if argument.startswith(("--probe", "--store.sample"))}
    given = _arguments({"exporter": {"probeAllow": ["10.0.0.0/8", "*.llm.svc"]}, "targets": {"storeSample": 0}})
    assert {"--probe.allow=10.0.0.0/8", "--probe.allow=*.llm.svc", "--store.sample=0"} <= set(given)


def _arguments(values: Json) -> list[str]:
    (container,) = one(values, "Deployment")["spec"]["template"]["spec"]["containers"]
    found: list[str] = container["args"]
    return found


def test_engines_are_scraped_as_the_rules_expect_them() -> None:
    values = {
        "clusterName": "eu-1",
        "engineMonitor": {"enabled": True, "selector": {"matchLabels": {"app": "vllm"}}, "namespaces": ["inference"]},
    }
    spec = one(values, "PodMonitor")["spec"]
    assert spec["namespaceSelector"] == {"matchNames": ["inference"]}
    (endpoint,) = spec["podMetricsEndpoints"]
    label = "__meta_kubernetes_pod_label"
    assert endpoint["relabelings"] == [
        {"action": "replace", "targetLabel": "cluster", "replacement": "eu-1"},
        {"action": "replace", "targetLabel": "job", "replacement": "engines"},
        {"action": "replace", "targetLabel": "replica", "sourceLabels": ["__meta_kubernetes_pod_name"]},
        {"action": "replace", "targetLabel": "pool", "sourceLabels": [f"{label}_llm_d_ai_role"], "regex": "(.+)"},
        {"action": "replace", "targetLabel": "model", "sourceLabels": [f"{label}_model"], "regex": "(.+)"},
    ]


def test_what_nothing_asks_for_is_dropped_on_demand() -> None:
    own = [{"action": "labeldrop", "regex": "x"}]
    engines = {"enabled": True, "selector": {"matchLabels": {"app": "vllm"}}, "metricRelabelings": own}
    values = {"dropUnused": True, "engineMonitor": engines}
    jobs = {each["job_name"]: each["metric_relabel_configs"] for each in _DROP_LIST["scrape_configs"]}
    (exporter,) = one(values, "ServiceMonitor")["spec"]["endpoints"]
    assert exporter["metricRelabelings"] == [_camel(each) for each in jobs["kvdeck-exporter"]]
    (engine,) = one(values, "PodMonitor")["spec"]["podMetricsEndpoints"]
    assert engine["metricRelabelings"] == [*(_camel(each) for each in jobs["vllm"]), *own]


def _camel(config: Json) -> Json:
    return {"sourceLabels": config["source_labels"], "regex": config["regex"], "action": config["action"]}


def test_pods_of_nobody_in_particular_are_refused() -> None:
    assert "engineMonitor: which pods are these?" in refusal({"engineMonitor": {"enabled": True}})


@pytest.mark.parametrize("namespaces", [["a", "b"], ["*"]])
def test_engines_of_several_namespaces_bear_the_exporters_names(namespaces: list[str]) -> None:
    labels = {"app": "vllm", "namespace": "a", "name": "decode-0"}
    pod = Pod(metadata=Metadata(namespace="a", name="decode-0"), status=PodStatus(phase="Running", pod_ip="10.0.0.1"))
    (engine,) = engines([pod], Selection("app=vllm", tuple(namespaces)))
    values = {
        "targets": {"kubernetes": {"selector": "app=vllm", "namespaces": namespaces}},
        "engineMonitor": {"enabled": True, "selector": {"matchLabels": {"app": "vllm"}}, "namespaces": namespaces},
    }
    (endpoint,) = one(values, "PodMonitor")["spec"]["podMetricsEndpoints"]
    (named,) = [each for each in endpoint["relabelings"] if each.get("targetLabel") == "replica"]
    parts = [labels[source.removeprefix("__meta_kubernetes_").removeprefix("pod_")] for source in named["sourceLabels"]]
    assert named["separator"].join(parts) == engine.replica


def test_lmcache_is_scraped_as_itself() -> None:
    values = {"lmcacheMonitor": {"enabled": True, "selector": {"matchLabels": {"app": "lmcache"}}, "port": "metrics"}}
    monitor = one(values, "PodMonitor")
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert (monitor["metadata"]["name"], endpoint["port"]) == ("kvdeck-lmcache", "metrics")
    assert [each["targetLabel"] for each in endpoint["relabelings"]] == ["job", "replica"]


def test_by_default_neither_is_there() -> None:
    assert [*manifests(kind="DaemonSet"), *manifests(kind="PodMonitor")] == []
