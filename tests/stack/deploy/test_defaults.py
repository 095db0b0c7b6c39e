"""What the chart installs when nobody says anything: what watches, and no more."""

from collections import Counter
from typing import Any

import pytest

from stack.deploy.copies import CHART
from tests.stack.deploy.chart import Json, manifests, one

_FULL = {
    "targets": {
        "kubernetes": {
            "selector": "app=vllm",
            "namespaces": ["a", "b"],
            "port": "http",
            "roleLabels": ["role"],
            "lmcacheSelector": "app=vllm",
            "lmcachePort": "lmcache",
        },
        "expectedL2": "redis://redis:6379",
        "engines": [{"targets": ["decode-0:8000"], "labels": {"replica": "decode-0"}}],
        "lmcache": {"lmcache-0": "http://lmcache-0:8080"},
        "stores": {"redis": "redis://:$(STORE_PASSWORD)@redis:6379"},
        "routers": {"front": "http://router:9090"},
    },
    "exporter": {
        "shards": 2,
        "cacheInterval": 15,
        "collectors": {"store": False, "routers": True},
        "env": [{"name": "STORE_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "redis", "key": "password"}}}],
        "webConfigSecret": "exporter-web",
        "networkPolicy": {"enabled": True, "from": [{"namespaceSelector": {}}]},
        "podDisruptionBudget": {"enabled": True},
        "tolerations": [{"operator": "Exists"}],
    },
}


def _container(deployment: Json) -> Json:
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(container)


def test_by_default_there_is_one_exporter_that_is_scraped_with_rules_and_dashboards() -> None:
    kinds = Counter(document["kind"] for document in manifests())
    rules, boards = kinds.pop("PrometheusRule"), kinds.pop("ConfigMap")
    assert kinds == {"Deployment": 1, "Service": 1, "ServiceAccount": 1, "ServiceMonitor": 1}
    assert rules > 5
    assert boards == len(list((CHART / "dashboards").glob("*.json")))


@pytest.mark.parametrize("values", [{}, _FULL], ids=["defaults", "everything"])
def test_pods_run_without_privileges(values: dict[str, Any]) -> None:
    for deployment in [*manifests(values, "Deployment"), *manifests(values, "DaemonSet")]:
        spec = deployment["spec"]["template"]["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is ("targets" in values)
        assert _container(deployment)["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_what_the_values_name_is_what_the_exporter_reads() -> None:
    first, second = manifests(_FULL, "Deployment")
    assert _container(first)["args"] == [
        "--web.listen-address=:9410",
        "--scrape.timeout=4",
        "--cache.interval=15",
        "--shard=0/2",
        "--web.config.file=/etc/kvdeck/web/web-config.yaml",
        "--collector.routers",
        "--no-collector.store",
        "--kubernetes.selector=app=vllm",
        "--kubernetes.port=http",
        "--kubernetes.lmcache-selector=app=vllm",
        "--kubernetes.lmcache-port=lmcache",
        "--kubernetes.namespace=a",
        "--kubernetes.namespace=b",
        "--kubernetes.role-label=role",
        "--target.file=/etc/kvdeck/targets/engines.json",
        "--lmcache=lmcache-0=http://lmcache-0:8080",
        "--store=redis=redis://:$(STORE_PASSWORD)@redis:6379",
        "--router=front=http://router:9090",
        "--l2.expected-url=redis://redis:6379",
    ]
    assert _container(second)["args"][3] == "--shard=1/2"
    assert [each["metadata"]["name"] for each in (first, second)] == ["kvdeck-exporter", "kvdeck-exporter-1"]


def test_the_service_finds_every_part_of_the_exporter_and_the_monitor_the_service() -> None:
    service, monitor = one(_FULL, "Service"), one(_FULL, "ServiceMonitor")
    for deployment in manifests(_FULL, "Deployment"):
        assert service["spec"]["selector"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
        assert deployment["spec"]["selector"]["matchLabels"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"] == [{"port": "metrics", "path": "/metrics", "scheme": "http", "honorLabels": True}]


def test_the_monitor_is_told_what_prometheus_selects_it_by_and_how_to_scrape() -> None:
    values = {
        "clusterName": "eu-1",
        "serviceMonitor": {
            "additionalLabels": {"release": "prometheus"},
            "interval": "30s",
            "scrapeTimeout": "10s",
            "honorLabels": False,
            "relabelings": [{"action": "labeldrop", "regex": "pod"}],
            "metricRelabelings": [{"action": "drop", "sourceLabels": ["__name__"], "regex": "kvdeck_engine_phase.*"}],
        },
    }
    monitor = one(values, "ServiceMonitor")
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"]["endpoints"] == [
        {
            "port": "metrics",
            "path": "/metrics",
            "scheme": "http",
            "honorLabels": False,
            "interval": "30s",
            "scrapeTimeout": "10s",
            "relabelings": [
                {"action": "replace", "targetLabel": "cluster", "replacement": "eu-1"},
                {"action": "labeldrop", "regex": "pod"},
            ],
            "metricRelabelings": [{"action": "drop", "sourceLabels": ["__name__"], "regex": "kvdeck_engine_phase.*"}],
        }
    ]


def test_nothing_is_left_when_all_is_off() -> None:
    off = {"enabled": False}
    assert manifests({"exporter": off, "prometheusRule": off, "grafana": off}) == []
