"""What the exporter may do: read pods, where it was asked to, and nothing where it was not."""

from typing import Any

import pytest

from tests.stack.deploy.chart import Json, manifests
from tests.stack.deploy.test_chart_deck import DECK

_READ_PODS = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]


def _with(*namespaces: str) -> dict[str, Any]:
    return {"targets": {"kubernetes": {"selector": "app=vllm", "namespaces": list(namespaces)}}}


def _rights(values: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    kinds = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
    named = [(each["kind"], each["metadata"]) for each in manifests(values) if each["kind"] in kinds]
    return sorted((kind, metadata.get("namespace"), metadata["name"]) for kind, metadata in named)


def _roles(values: dict[str, Any]) -> list[Json]:
    return [*manifests(values, "Role"), *manifests(values, "ClusterRole")]


@pytest.mark.parametrize("values", [_with(), _with("a", "b"), _with("*")], ids=["own", "two", "all"])
def test_it_reads_pods_and_no_more(values: dict[str, Any]) -> None:
    assert [role["rules"] for role in _roles(values) if role["rules"] != _READ_PODS] == []
    for binding in [*manifests(values, "RoleBinding"), *manifests(values, "ClusterRoleBinding")]:
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "kvdeck-exporter", "namespace": "monitoring"}]
        role = binding["roleRef"]
        assert (role["kind"], role["name"]) in {(each["kind"], each["metadata"]["name"]) for each in _roles(values)}


def test_rights_are_where_it_looks() -> None:
    own = [("Role", "monitoring", "kvdeck-exporter"), ("RoleBinding", "monitoring", "kvdeck-exporter")]
    assert _rights(_with()) == own
    assert [(kind, namespace) for kind, namespace, _ in _rights(_with("a", "b"))] == [
        ("Role", "a"), ("Role", "b"), ("RoleBinding", "a"), ("RoleBinding", "b"),
    ]  # fmt: skip
    everywhere = "monitoring-kvdeck-exporter"
    assert _rights(_with("*")) == [("ClusterRole", None, everywhere), ("ClusterRoleBinding", None, everywhere)]


def test_who_looks_for_no_pods_has_no_rights() -> None:
    assert _rights({}) == []


_POOLS = {
    "llama-70b": {"prefill": {"name": "prefill", "kind": "StatefulSet"}, "decode": {"name": "decode", "namespace": "serving"}}
}


def _deck(**control: Any) -> dict[str, Any]:
    return {**DECK, **_with("serving"), "control": {**DECK["control"], "pools": _POOLS, **control}}


def _rules(component: str, values: dict[str, Any]) -> dict[str, list[tuple[str, tuple[str, ...], tuple[str, ...]]]]:
    """By namespace: resources in their group, the names they are confined to, what may be done."""
    roles = [role for role in manifests(values, "Role") if role["metadata"]["name"] == f"kvdeck-{component}"]
    return {role["metadata"]["namespace"]: [_rule(rule) for rule in role["rules"]] for role in roles}


def _rule(rule: Json) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    resources = "/".join([*filter(None, rule["apiGroups"]), *rule["resources"]])
    return resources, tuple(rule.get("resourceNames", ())), tuple(rule["verbs"])


_LOOKS = [
    ("pods", (), ("get", "list")),
    ("autoscaling/horizontalpodautoscalers", (), ("list",)),
    ("keda.sh/scaledobjects", (), ("list",)),
]


def test_routers_read_pods_where_the_engines_are() -> None:
    assert _rules("router", _deck()) == {"serving": [("pods", (), ("get", "list", "watch"))]}
    assert _rules("router", DECK) == {}


def test_control_that_observes_may_write_nothing() -> None:
    assert _rules("control", _deck()) == {
        "monitoring": [*_LOOKS, ("apps/statefulsets", ("prefill",), ("get",))],
        "serving": [*_LOOKS, ("apps/deployments", ("decode",), ("get",))],
    }


@pytest.mark.parametrize("mode", ["live", "declarative"])
def test_control_that_acts_scales_its_pools_and_no_more(mode: str) -> None:
    assert _rules("control", _deck(mode=mode)) == {
        "monitoring": [
            *_LOOKS,
            ("apps/statefulsets", ("prefill",), ("get",)),
            ("apps/statefulsets/scale", ("prefill",), ("get", "update")),
        ],
        "serving": [
            *_LOOKS,
            ("apps/deployments", ("decode",), ("get",)),
            ("apps/deployments/scale", ("decode",), ("get", "update")),
            ("pods", (), ("patch",)),
        ],
    }


def test_the_deck_has_no_rights_beyond_namespaces() -> None:
    values = _deck(mode="live")
    assert [*manifests(values, "ClusterRole"), *manifests(values, "ClusterRoleBinding")] == []
    for binding in manifests(values, "RoleBinding"):
        name = binding["metadata"]["name"]
        assert binding["roleRef"]["name"] == name
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": "monitoring"}]
    tokens = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"].get("automountServiceAccountToken")
        for each in manifests(values, "Deployment")
    }
    assert {name: token for name, token in tokens.items() if "exporter" not in name} == {
        "kvdeck-router": True, "kvdeck-control": True, "kvdeck-dashboard": False,
    }  # fmt: skip


_ENDPOINTS = {"llama-70b": {"name": "llama", "namespace": "serving"}, "small": {"name": "small", "disaggregated": False}}


def _hyperpod(mode: str, live: bool) -> dict[str, Any]:
    own = {"mode": mode, "hyperpod": {"endpoints": _ENDPOINTS, "livePatching": live}}
    return {**DECK, **_with("serving"), "control": {**DECK["control"], **own}}


@pytest.mark.parametrize(("mode", "live", "patches"), [("observe", True, False), ("live", False, False), ("live", True, True)])
def test_control_reads_endpoints_of_hyperpod_and_patches_them_only_where_it_is_told_to(
    mode: str, live: bool, patches: bool
) -> None:
    endpoints = "inference.sagemaker.aws.amazon.com/inferenceendpointconfigs"
    verbs = ("get", "patch") if patches else ("get",)
    cost = [("pods", (), ("patch",))] if patches else []
    made = ("apps/deployments", ("prefill-llama", "decode-llama"), ("get",))
    values = _hyperpod(mode, live)
    assert _rules("control", values) == {
        "monitoring": [*_LOOKS, (endpoints, ("small",), verbs), *cost],
        "serving": [*_LOOKS, (endpoints, ("llama",), verbs), made, *cost],
    }
    (control,) = [one for one in manifests(values, "Deployment") if one["metadata"]["name"] == "kvdeck-control"]
    args = control["spec"]["template"]["spec"]["containers"][0]["args"]
    assert ("--pools=hyperpod" in args, "--hyperpod-live-patching" in args) == (True, patches)
