"""What the exporter may do: read pods, where it was asked to, and nothing where it was not."""

from typing import Any

import pytest

from tests.stack.deploy.chart import Json, manifests

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
