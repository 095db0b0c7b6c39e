"""The chart holds copies of the rules and of nothing that was one, and a schema of their alerts."""

import json
from pathlib import Path
from typing import Any

from stack.deploy.copies import held, write

_ALERTS = "{alert: KvdeckHot, expr: 'heat > 3'}, {alert: KvdeckCold, expr: 'heat < 1'}"
_RULES = f"groups: [{{name: n, rules: [{{record: r, expr: '1'}}, {_ALERTS}]}}]\n"
_THRESHOLDS = 'KvdeckHot: [{name: heat, default: "3", in: ["> {threshold}"]}]\n'


def _schema(overrides: dict[str, Any], alerts: list[str]) -> dict[str, Any]:
    rule = {"properties": {"overrides": {"type": "object", "properties": overrides}}}
    return {"definitions": {"alert": {"enum": alerts}}, "properties": {"prometheusRule": rule}}


def _override(**more: Any) -> dict[str, Any]:
    duration = {"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w))+$"}
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    properties = {"for": duration, "severity": {"enum": ["critical", "warning", "info"]}, "annotations": texts, **more}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def test_the_chart_follows_the_rules_and_what_is_gone_leaves_it(tmp_path: Path) -> None:
    files = {
        "alerts/rules/objectives/burning.yaml": _RULES,
        "alerts/thresholds.yaml": _THRESHOLDS,
        "chart/alerts/rules/old.yaml": "groups: []\n",
        "chart/values.schema.json": json.dumps(_schema({"KvdeckOld": {}}, ["KvdeckOld"])),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    write(tmp_path, tmp_path / "chart")
    found = held(tmp_path / "chart")
    by_name = {"type": "object", "additionalProperties": False, "minProperties": 1, "properties": {"heat": {"type": "number"}}}
    wanted = {"KvdeckCold": _override(), "KvdeckHot": _override(threshold={"anyOf": [{"type": "number"}, by_name]})}
    assert json.loads(found.pop(Path("values.schema.json"))) == _schema(wanted, ["KvdeckCold", "KvdeckHot"])
    assert found == {
        Path("alerts/rules/objectives/burning.yaml"): _RULES.encode(),
        Path("alerts/thresholds.yaml"): _THRESHOLDS.encode(),
    }
