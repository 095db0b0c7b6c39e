"""Router, control and dashboard: off unless asked for, and then what they need of each other."""

from typing import Any

import msgspec
import pytest
import yaml

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.control.state import SCHEMA, Desired
from stack.control.valid import validated
from stack.deploy.copies import CHART
from stack.model.target import decode
from stack.router.settings import RouterSettings
from stack.strategies.base import names
from tests.stack.deploy.chart import Json, files, manifests, one, read_yaml, refusal

(DECK,) = read_yaml((CHART.parent / "examples" / "with-router.yaml").read_text())
_ENGINE = {"targets": ["decode-0:8000"], "labels": {"replica": "decode-0", "pool": "decode", "model": "m", "model_root": "/m"}}


def _deployment(component: str, values: dict[str, Any] = DECK) -> Json:
    (found,) = [each for each in manifests(values, "Deployment") if each["metadata"]["name"] == f"kvdeck-{component}"]
    return found


def _container(component: str, values: dict[str, Any] = DECK) -> Json:
    (container,) = _deployment(component, values)["spec"]["template"]["spec"]["containers"]
    return dict(container)


def test_routers_follow_control_and_know_each_other_apart() -> None:
    arguments = _container("router")["args"]
    assert "--control-url=https://kvdeck-control.monitoring.svc:8010" in arguments
    assert "--id=$(POD_NAME)" in arguments


def test_a_router_without_control_goes_by_its_file_and_starts_anew_with_another() -> None:
    alone = {**DECK, "control": {"enabled": False}}
    assert [each for each in _container("router", alone)["args"] if "control" in each] == []
    changed = {**alone, "deck": {**DECK["deck"], "desired": {"models": {}}}}
    assert _deployment("router", alone)["spec"]["template"] != _deployment("router", changed)["spec"]["template"]


def test_routers_and_control_read_the_engines_as_they_are_listed() -> None:
    (targets,) = [each for each in manifests(DECK, "ConfigMap") if each["metadata"]["name"] == "kvdeck-targets"]
    assert [target.replica for target in decode(targets["data"]["engines.json"].encode())] == ["prefill-0", "decode-0"]


def test_what_is_desired_is_taken() -> None:
    (config,) = [each for each in manifests(DECK, "ConfigMap") if each["metadata"]["name"] == "kvdeck-desired"]
    file = yaml.safe_load(config["data"]["fleet.yaml"])
    desired = msgspec.convert(file["desired"], Desired)
    assert (file["schema"], set(validated(desired, names()).models)) == (SCHEMA, {"llama-70b"})


def test_control_only_observes_unless_it_is_told_otherwise() -> None:
    assert "--mode=observe" in _container("control")["args"]
    declared = {**DECK, "control": {**DECK["control"], "mode": "declarative"}}
    arguments = _container("control", declared)["args"]
    assert {"--mode=declarative", "--config=/etc/kvdeck/desired/fleet.yaml"} <= set(arguments)


def test_control_asks_for_alerts_where_it_is_told_to() -> None:
    asked = [each for each in _container("control")["args"] if "manager" in each or "prometheus" in each]
    assert asked == [
        "--alertmanager-url=http://alertmanager-operated.monitoring.svc:9093",
        "--prometheus-url=http://prometheus-operated.monitoring.svc:9090",
    ]
    nowhere = {**DECK, "control": {**DECK["control"], "alertmanagerUrl": "", "prometheusUrl": ""}}
    assert [each for each in _container("control", nowhere)["args"] if "manager" in each or "prometheus" in each] == []


def test_there_is_one_control_and_its_state_outlives_it() -> None:
    control = _deployment("control")
    assert (control["spec"]["replicas"], control["spec"]["strategy"]) == (1, {"type": "Recreate"})
    claim = one(DECK, "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert claim["spec"]["storageClassName"] == "gp3"


def test_their_alerts_come_with_them() -> None:
    rules = [rule for each in manifests(DECK, "PrometheusRule") for group in each["spec"]["groups"] for rule in group["rules"]]
    assert {rule["labels"]["requires"] for rule in rules if "alert" in rule} == {"native", "exporter", "router", "control"}


def test_people_sign_in_to_the_dashboard_where_there_is_control() -> None:
    values = {
        **DECK,
        "dashboard": {**DECK["dashboard"], "basePath": "/kvdeck", "args": ["--prometheus-config=/etc/kvdeck/secret/p"]},
    }
    container = _container("dashboard", values)
    given = container["args"][2:]
    assert given == [
        "--listen=0.0.0.0:8501",
        "--insecure",
        "--sign-in",
        "--control-url=https://kvdeck-control.monitoring.svc:8010",
        "--control-ca-file=/etc/kvdeck/secret/ca.crt",
        "--base-path=/kvdeck",
        "--prometheus-config=/etc/kvdeck/secret/p",
    ]
    assert container["readinessProbe"]["httpGet"]["path"] == "/kvdeck/_stcore/health"


def test_without_control_the_dashboard_is_reached_in_its_pod_alone() -> None:
    container = _container("dashboard", _CONTROL_OFF)
    assert container["args"][2:] == ["--listen=127.0.0.1:8501"]
    assert "http://127.0.0.1:8501/_stcore/health" in container["livenessProbe"]["exec"]["command"][-1]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"router": {"enabled": True}}, "deck.secret: router and control need a Secret"),
        ({"control": {"enabled": True}, "deck": {"secret": "s"}}, "targets.engines: router and control steer the engines"),
        (
            {
                "router": {"enabled": True},
                "deck": {"secret": "s"},
                "targets": {"engines": [{**_ENGINE, "labels": {"replica": "d"}}]},
            },
            "targets.engines: router and control need the label pool of decode-0:8000",
        ),
        (
            {**DECK, "router": {"enabled": True, "args": ["--drain=90"]}},
            "router.args: --drain is router.drainSeconds, from which the pods' grace period follows",
        ),
        ({"deck": {"networkPolicy": {"enabled": True}}}, "deck.networkPolicy.monitoring: without a peer Prometheus"),
        (
            {"deck": {"networkPolicy": {"enabled": True, "monitoring": [{}]}}},
            "deck.networkPolicy.engines.matchLabels: say which pods are engines",
        ),
    ],
)
def test_what_cannot_work_is_refused(values: dict[str, Any], told: str) -> None:
    assert told in refusal(values)


@pytest.mark.parametrize("seconds", [None, 600])
def test_a_pod_is_given_longer_to_end_than_streams_are_given_to_finish(seconds: int | None) -> None:
    settings = RouterSettings()
    values = DECK if seconds is None else {**DECK, "router": {**DECK["router"], "drainSeconds": seconds}}
    drain = seconds or int(settings.drain_s)
    assert f"--drain={drain}" in _container("router", values)["args"]
    assert _deployment("router", values)["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == drain + 15
    assert settings.accept_delay_s < 15


_CONTROL_OFF = {**DECK, "control": {"enabled": False}}
_MORE = {**DECK, "router": {**DECK["router"], "secretKeys": ["engine.token"]}}


@pytest.mark.parametrize(
    ("component", "values", "keys"),
    [
        ("router", DECK, ["session.key", "router.token", "ca.crt"]),
        ("router", _CONTROL_OFF, ["session.key"]),
        ("router", _MORE, ["session.key", "router.token", "ca.crt", "engine.token"]),
        ("control", DECK, ["tokens.yaml", "tls.crt", "tls.key"]),
        ("dashboard", DECK, ["ca.crt"]),
        ("dashboard", _CONTROL_OFF, None),
    ],
)
def test_each_pod_is_given_the_keys_that_it_reads_and_no_other(
    component: str, values: dict[str, Any], keys: list[str] | None
) -> None:
    volumes = {each["name"]: each for each in _deployment(component, values)["spec"]["template"]["spec"]["volumes"]}
    mounts = {each["name"]: each["mountPath"] for each in _container(component, values)["volumeMounts"]}
    if keys is None:
        assert "secret" not in volumes.keys() | mounts.keys()
        return
    secret = volumes["secret"]["secret"]
    assert secret["items"] == [{"key": key, "path": key} for key in keys]
    assert mounts["secret"] == "/etc/kvdeck/secret"
    container = _container(component, values)
    words = [*container.get("args", []), *(each.get("value", "") for each in container.get("env", []))]
    read = {word.rpartition("/")[2] for word in words if "/etc/kvdeck/secret/" in word}
    assert read <= set(keys)


def test_a_router_is_replaced_only_once_its_successor_is_ready() -> None:
    update = _deployment("router")["spec"]["strategy"]
    assert update == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "Nothing of it is in a request's path."),
        (DECK, "Its router is in the path of the requests that are sent to it, and nothing else of it is."),
    ],
)
def test_the_notes_say_what_is_in_a_requests_path(values: dict[str, Any], told: str) -> None:
    assert files(values)["templates/NOTES.txt"].splitlines()[0] == f"kvdeck watches from monitoring. {told}"


def test_nodes_are_emptied_one_router_at_a_time_and_control_blocks_nobody() -> None:
    budget = one(DECK, "PodDisruptionBudget")
    assert (budget["metadata"]["name"], budget["spec"]["maxUnavailable"]) == ("kvdeck-router", 1)
    single = {**DECK, "router": {"enabled": True, "replicas": 1}}
    assert manifests(single, "PodDisruptionBudget") == []


def _policies(values: dict[str, Any] = DECK) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in manifests(values, "NetworkPolicy")}


def _components(peers: list[Json]) -> set[str]:
    labels = [peer.get("podSelector", {}).get("matchLabels", {}) for peer in peers]
    return {each["app.kubernetes.io/component"] for each in labels if "app.kubernetes.io/component" in each}


def test_only_router_exporter_and_prometheus_reach_engines_beside_themselves() -> None:
    engines = _policies()["kvdeck-engines"]
    assert engines["metadata"]["namespace"] == "inference"
    assert engines["spec"]["podSelector"] == {"matchLabels": {"app": "engines"}}
    (rule,) = engines["spec"]["ingress"]
    assert "ports" not in rule
    assert _components(rule["from"]) == {"router", "exporter"}
    assert {"podSelector": {"matchLabels": {"app": "engines"}}} in rule["from"]
    assert len(rule["from"]) == 4


def test_routers_reach_engines_from_the_namespace_that_they_are_in() -> None:
    (rule,) = _policies()["kvdeck-engines"]["spec"]["ingress"]
    (router,) = [peer for peer in rule["from"] if _components([peer]) == {"router"}]
    assert router["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}


def test_control_is_asked_by_those_it_serves_and_by_operators() -> None:
    (rule,) = _policies()["kvdeck-control"]["spec"]["ingress"]
    assert _components(rule["from"]) == {"router", "dashboard", "exporter"}
    assert {"namespaceSelector": {"matchLabels": {"team": "platform"}}} in rule["from"]


def test_without_named_clients_everybody_asks_the_router() -> None:
    policy = {**DECK["deck"]["networkPolicy"], "clients": []}
    (rule,) = _policies({**DECK, "deck": {**DECK["deck"], "networkPolicy": policy}})["kvdeck-router"]["spec"]["ingress"]
    assert "from" not in rule
    (rule,) = _policies()["kvdeck-router"]["spec"]["ingress"]
    assert {"namespaceSelector": {"matchLabels": {"team": "chat"}}} in rule["from"]


def test_nothing_scales_by_itself_unless_somebody_adds_it() -> None:
    assert manifests(DECK, "HorizontalPodAutoscaler") == []
