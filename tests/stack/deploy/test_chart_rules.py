"""The rules as PrometheusRules: all of the source's, as the values want them, and sound by promtool."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.alerts.promtool import ROOT, tool
from tests.stack.deploy.chart import Json, manifests, read_yaml

RULES = ROOT / "alerts" / "rules"
_THRESHOLDS: dict[str, list[Json]] = yaml.safe_load((ROOT / "alerts" / "thresholds.yaml").read_text())


def _source() -> list[Json]:
    groups = [group for path in sorted(RULES.rglob("*.yaml")) for group in read_yaml(path.read_text())[0]["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def _rendered(values: dict[str, Any] | None = None) -> list[Json]:
    groups = [group for document in manifests(values, "PrometheusRule") for group in document["spec"]["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def _text(rule: Json) -> str:
    return json.dumps(rule, sort_keys=True)


def _of(alert: str, values: dict[str, Any]) -> list[Json]:
    found = [rule for rule in _rendered({"prometheusRule": values}) if rule.get("alert") == alert]
    assert found
    return found


def test_every_rule_is_there_as_it_is_in_the_source_once_everything_runs() -> None:
    everything = _rendered({"prometheusRule": {"requires": ["router", "control"]}})
    assert sorted(everything, key=_text) == sorted(_source(), key=_text)


def test_alerts_on_what_does_not_run_are_left_out() -> None:
    assert {rule["labels"]["requires"] for rule in _rendered() if "alert" in rule} == {"native", "exporter"}
    native = _rendered({"exporter": {"enabled": False}})
    assert {rule["labels"]["requires"] for rule in native if "alert" in rule} == {"native"}


def test_only_recording_rules_on_demand() -> None:
    recording = _rendered({"prometheusRule": {"recordingOnly": True}})
    assert sorted(recording, key=_text) == sorted((rule for rule in _source() if "record" in rule), key=_text)


def test_a_disabled_alert_is_gone_and_the_others_stay() -> None:
    names = {rule["alert"] for rule in _rendered() if "alert" in rule}
    left = {rule["alert"] for rule in _rendered({"prometheusRule": {"disabled": ["KvdeckEngineDown"]}}) if "alert" in rule}
    assert names - left == {"KvdeckEngineDown"}


def test_an_override_changes_what_it_says_and_keeps_the_rest() -> None:
    override = {"for": "20m", "severity": "info", "annotations": {"team": "serving"}}
    (before,) = _of("KvdeckKvCacheFull", {})
    (after,) = _of("KvdeckKvCacheFull", {"overrides": {"KvdeckKvCacheFull": override}})
    assert after == {
        **before,
        "for": "20m",
        "labels": {**before["labels"], "severity": "info"},
        "annotations": {**before["annotations"], "team": "serving"},
    }


def _expressions(alert: str, threshold: Any) -> list[str]:
    return [rule["expr"] for rule in _of(alert, {"overrides": {alert: {"threshold": threshold}}})]


def test_a_threshold_is_set_in_every_rule_that_has_it() -> None:
    before = [rule["expr"] for rule in _of("KvdeckKvTransferFailing", {})]
    after = _expressions("KvdeckKvTransferFailing", 10)
    assert after == [expression.replace(">= 3", ">= 10") for expression in before]
    assert after != before


def test_thresholds_are_set_by_name_and_none_is_taken_for_another() -> None:
    """The first's new value is the second's default."""
    before = [rule["expr"] for rule in _of("KvdeckKvTransferSlow", {})]
    named = {"seconds": 0.1, "seconds_when_slower": 0.02}
    wanted = [each.replace("mean5m > 0.1", "mean5m > 0.02").replace("mean5m > 1", "mean5m > 0.1") for each in before]
    assert _expressions("KvdeckKvTransferSlow", named) == wanted != before


def test_every_threshold_can_be_set() -> None:
    """7.5 is nobody's default."""
    named = {alert: {"threshold": {row["name"]: 7.5 for row in rows}} for alert, rows in _THRESHOLDS.items()}
    rendered = _rendered({"prometheusRule": {"overrides": named, "requires": ["router", "control"]}})
    changed, wanted = Counter[str](), Counter[str]()
    for rule in rendered:
        changed[rule.get("alert", "")] += rule["expr"].count("7.5")
    for rule in (rule for rule in _source() if rule.get("alert") in _THRESHOLDS):
        pieces = (piece.replace("{threshold}", row["default"]) for row in _THRESHOLDS[rule["alert"]] for piece in row["in"])
        wanted[rule["alert"]] += sum(rule["expr"].count(piece) for piece in pieces)
    assert set(wanted) == set(_THRESHOLDS)
    told = sum(len(row.get("told", ())) for rows in _THRESHOLDS.values() for row in rows)
    assert +changed == +(wanted + Counter({"": told}))


def test_what_tells_a_threshold_tells_the_one_that_is_set() -> None:
    rendered = _rendered({"prometheusRule": {"overrides": {"KvdeckItlBudgetBurning": {"threshold": {"budget": 0.02}}}}})
    told = {rule["record"]: rule["expr"] for rule in rendered if rule.get("record", "").endswith("_budget:ratio")}
    assert told == {
        "kvdeck:slo_ttft_budget:ratio": "0 * kvdeck:slo_ttft_missed:ratio_rate6h + 0.05",
        "kvdeck:slo_itl_budget:ratio": "0 * kvdeck:slo_itl_missed:ratio_rate6h + 0.02",
        "kvdeck:slo_request_budget:ratio": "0 * kvdeck:slo_request_failed:ratio_rate6h + 0.001",
    }


def test_runbooks_and_dashboards_are_linked_where_they_are_known() -> None:
    values = {
        "prometheusRule": {"runbookBaseUrl": "https://git.example/alerts/"},
        "grafana": {"baseUrl": "https://grafana.example/"},
    }
    (rule,) = [rule for rule in _rendered(values) if rule.get("alert") == "KvdeckKvCacheFull"]
    assert rule["annotations"]["runbook_url"] == "https://git.example/alerts/runbooks/KvdeckKvCacheFull.md"
    assert rule["annotations"]["dashboard_url"] == "https://grafana.example/d/kvdeck-engines?var-cluster={{ $labels.cluster }}"
    assert [rule for rule in _rendered() if "dashboard_url" in rule.get("annotations", {})] == []


def test_prometheus_selects_the_rules_by_their_labels() -> None:
    documents = manifests({"prometheusRule": {"additionalLabels": {"release": "prometheus"}}}, "PrometheusRule")
    assert {document["metadata"]["labels"]["release"] for document in documents} == {"prometheus"}
    names = [document["metadata"]["name"] for document in documents]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("values", [{}, {"grafana": {"baseUrl": "https://grafana.example"}}], ids=["defaults", "linked"])
def test_promtool_finds_no_fault_in_what_is_installed(values: dict[str, Any], tmp_path: Path) -> None:
    paths = []
    for document in manifests(values, "PrometheusRule"):
        paths.append(tmp_path / f"{document['metadata']['name']}.yaml")
        paths[-1].write_text(yaml.safe_dump(document["spec"]))
    done = subprocess.run([tool("promtool"), "check", "rules", *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
