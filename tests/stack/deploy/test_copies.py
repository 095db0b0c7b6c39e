"""The chart holds copies of the rules and of nothing that was one, and a schema of their alerts; the manifest what runs."""

import json
from pathlib import Path
from typing import Any

import yaml

from stack.deploy.copies import held, write

_RULES = """
groups:
  - name: n
    rules:
      - {record: r, expr: "1"}
      - {alert: KvdeckHot, expr: "heat > 3", labels: {requires: native}}
      - {alert: KvdeckCold, expr: "heat < 1", labels: {requires: router}}
"""
_THRESHOLDS = 'KvdeckHot: [{name: heat, default: "3", in: ["> {threshold}"]}]\n'


def _schema(overrides: dict[str, Any], alerts: list[str]) -> dict[str, Any]:
    rule = {"properties": {"overrides": {"type": "object", "properties": overrides}}}
    return {"definitions": {"alert": {"enum": alerts}}, "properties": {"prometheusRule": rule}}


def _override(**more: Any) -> dict[str, Any]:
    duration = {"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w))+$"}
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    properties = {"for": duration, "severity": {"enum": ["critical", "warning", "info"]}, "annotations": texts, **more}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _rule_manifest(text: str) -> dict[str, Any]:
    (document,) = yaml.safe_load_all(text)
    return dict(document)


def test_what_is_deployed_follows_the_rules_and_what_is_gone_leaves_it(tmp_path: Path) -> None:
    deploy = Path("stack/deploy")
    files = {
        "alerts/rules/objectives/burning.yaml": _RULES,
        "alerts/thresholds.yaml": _THRESHOLDS,
        "stack/deploy/prometheus/drop-list.yaml": "scrape_configs: []\n",
        "stack/deploy/chart/alerts/rules/old.yaml": "groups: []\n",
        "stack/deploy/chart/values.schema.json": json.dumps(_schema({"KvdeckOld": {}}, ["KvdeckOld"])),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    write(tmp_path)
    found = {str(path.relative_to(deploy)): content.decode() for path, content in held(tmp_path).items()}
    by_name = {"type": "object", "additionalProperties": False, "minProperties": 1, "properties": {"heat": {"type": "number"}}}
    wanted = {"KvdeckCold": _override(), "KvdeckHot": _override(threshold={"anyOf": [{"type": "number"}, by_name]})}
    assert json.loads(found.pop("chart/values.schema.json")) == _schema(wanted, ["KvdeckCold", "KvdeckHot"])
    manifest = _rule_manifest(found.pop("manifests/rules.yaml"))
    assert manifest["metadata"]["name"] == "kvdeck-objectives-burning"
    assert [rule.get("alert", "record") for rule in manifest["spec"]["groups"][0]["rules"]] == ["record", "KvdeckHot"]
    assert found == {
        "chart/alerts/rules/objectives/burning.yaml": _RULES,
        "chart/alerts/thresholds.yaml": _THRESHOLDS,
        "chart/prometheus/drop-list.yaml": "scrape_configs: []\n",
    }
