"""Plain manifests for those without Helm: what the chart renders, with what Helm adds left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]

NAMESPACE = "monitoring"
_HEAD = "# Follows from the Helm chart and the rules. After a change there: python -m stack.deploy, python -m tests.stack.deploy\n"
_OF_HELM = frozenset({"helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version"})
_RUNNING = frozenset({"native", "exporter"})
_LABELS = {"app.kubernetes.io/component": "rules", "app.kubernetes.io/instance": "kvdeck", "app.kubernetes.io/name": "kvdeck"}


class _Dumper(yaml.SafeDumper):
    """Expressions keep their lines, and what is the same twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def dump(documents: Iterable[Json]) -> str:
    """The documents as one file."""
    return _HEAD + yaml.dump_all(documents, Dumper=_Dumper, width=1000, explicit_start=True)


def without_helm(value: Any) -> Any:
    """An object of the chart without the labels by which Helm knows its own."""
    if isinstance(value, dict):
        return {key: without_helm(each) for key, each in value.items() if key not in _OF_HELM}
    return [without_helm(each) for each in value] if isinstance(value, list) else value


def prometheus_rules(files: Mapping[Path, bytes]) -> list[Json]:
    """PrometheusRules of rule files by their paths below `alerts/rules`, without alerts on what does not run: router, control."""
    found = []
    for path, text in sorted(files.items()):
        groups = [{**group, "rules": [rule for rule in group["rules"] if _runs(rule)]} for group in yaml.safe_load(text)["groups"]]
        if kept := [group for group in groups if group["rules"]]:
            name = "-".join(["kvdeck", *path.with_suffix("").parts]).replace("_", "-")
            metadata = {"name": name, "namespace": NAMESPACE, "labels": _LABELS}
            kind = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule"}
            found.append({**kind, "metadata": metadata, "spec": {"groups": kept}})
    return found


def _runs(rule: Json) -> bool:
    return "alert" not in rule or rule["labels"]["requires"] in _RUNNING
