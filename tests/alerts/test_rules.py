"""Every alert is four things: a rule, a runbook, a case that fires it and one that does not."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from stack.metrics.catalog import CATALOG
from stack.metrics.family import Kind
from tests.alerts.foreign_names import foreign_names
from tests.alerts.promql_names import names
from tests.alerts.promtool import ROOT, tool

RULES = ROOT / "alerts" / "rules"
RUNBOOKS = ROOT / "alerts" / "runbooks"
CASES = Path(__file__).parent / "cases"
AGGREGATIONS = ("sum", "min", "max", "avg", "count", "group", "stddev", "topk", "bottomk", "quantile")
ANYWHERE = "and on () group (kvdeck_build_info)"
"""Whether any cluster has an exporter: asked in order to tell of the one that has none."""
SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]
FIRST_EIGHT = {
    "KvdeckEngineDown", "KvdeckNoReadyDecodeEngine", "KvdeckL1HitRatioCollapsed", "KvdeckEvictionPressure",
    "KvdeckKvTransferFailing", "KvdeckKvTransferSlow", "KvdeckPrefillQueueGrowing", "KvdeckCollectorFailing",
}  # fmt: skip


def _rules() -> list[dict[str, Any]]:
    groups = [group for path in sorted(RULES.rglob("*.yaml")) for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


ALERTS = [rule for rule in _rules() if "alert" in rule]
RECORDS = {rule["record"]: rule for rule in _rules() if "record" in rule}
NAMES = sorted({rule["alert"] for rule in ALERTS})


def _known() -> set[str]:
    histograms = {family.name for family in CATALOG.values() if family.kind is Kind.HISTOGRAM}
    parts = {f"{name}{part}" for name in histograms for part in ("_bucket", "_sum", "_count")}
    return (set(CATALOG) - histograms) | parts | RECORDS.keys() | foreign_names()


def _emitters(expression: str) -> set[str]:
    """What emits the series an expression rests on; its own records are looked through."""
    found: set[str] = set()
    for name in names(expression):
        family = CATALOG.get(name) or CATALOG.get(name.rpartition("_")[0])
        found |= _emitters(RECORDS[name]["expr"]) if name in RECORDS else {family.emitter.value if family else "native"}
    return found


def test_the_first_eight_alerts_are_there() -> None:
    assert set(NAMES) >= FIRST_EIGHT


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_rests_on_known_series(rule: dict[str, Any]) -> None:
    found = names(rule["expr"])
    assert found, "an expression without a series"
    assert sorted(found - _known()) == []


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_tells_its_severity_what_is_wrong_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"runbooks/{rule['alert']}.md"
    assert rule["alert"].startswith("Kvdeck")


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_must_run_for_it(rule: dict[str, Any]) -> None:
    assert rule["labels"]["requires"] in _emitters(rule["expr"])


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_keeps_clusters_apart_and_says_the_namespace(rule: dict[str, Any]) -> None:
    expression = rule["expr"].replace(ANYWHERE, "")
    joins = re.findall(r"\bon \(([^)]*)\)", expression)
    sums = re.findall(r"\bby \(([^)]*)\)", expression)
    assert [labels for labels in joins if "cluster" not in labels] == []
    assert [labels for labels in sums if not labels.startswith("cluster, namespace")] == []
    assert [*re.findall(rf"\b({'|'.join(AGGREGATIONS)}) ?\(", expression)] == []


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_runbook_of_its_name(name: str) -> None:
    page = (RUNBOOKS / f"{name}.md").read_text()
    assert page.startswith(f"# {name}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS
    assert all(len(part.strip()) > 40 for part in re.split(r"^## .+$", page, flags=re.MULTILINE)[1:])


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_case_that_fires_it_and_one_that_does_not(name: str) -> None:
    cases = yaml.safe_load((CASES / f"{name}.yaml").read_text())["tests"]
    expected = [check["exp_alerts"] for case in cases for check in case["alert_rule_test"] if check["alertname"] == name]
    assert any(expected)
    assert not all(expected)
    assert any(not any(check["exp_alerts"] for check in case["alert_rule_test"]) for case in cases), "no case stays silent"


def test_nothing_is_left_of_an_alert_that_is_gone() -> None:
    assert sorted(path.stem for path in RUNBOOKS.glob("*.md")) == NAMES
    assert sorted(path.stem for path in CASES.glob("*.yaml")) == NAMES


def test_enough_alerts_need_nothing_of_ours() -> None:
    only_native = {rule["alert"] for rule in ALERTS if _emitters(rule["expr"]) == {"native"}}
    assert len(only_native) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_a_runbook_has_a_query_to_paste(name: str) -> None:
    diagnosis = (RUNBOOKS / f"{name}.md").read_text().partition("## Diagnosis")[2].partition("## Mitigation")[0]
    assert {word for quoted in re.findall(r"`([^`]+)`", diagnosis) for word in names(quoted)} & _known()


def test_every_rule_is_in_the_readme() -> None:
    text = (ROOT / "alerts" / "README.md").read_text()
    assert [name for name in NAMES if f"[{name}](runbooks/{name}.md)" not in text] == []
    assert [name for name in RECORDS if name.rpartition(":")[0] not in text or name.rpartition(":")[2] not in text] == []


def test_runbooks_and_readme_name_only_metrics_that_exist() -> None:
    stems = _known() | set(CATALOG) | {name.rpartition(":")[0] for name in RECORDS}
    for page in [*RUNBOOKS.glob("*.md"), ROOT / "alerts" / "README.md"]:
        mentioned = set(re.findall(r"\b(?:kvdeck_|kvdeck:|vllm:|lmcache_mp_|lmcache:)[a-zA-Z0-9_:]+", page.read_text()))
        assert sorted(mentioned - stems) == [], page.name


@pytest.mark.parametrize("path", sorted(RULES.rglob("*.yaml")), ids=lambda path: str(path.relative_to(RULES)))
def test_promtool_finds_no_fault_in_the_rules(path: Path) -> None:
    done = subprocess.run([tool("promtool"), "check", "rules", "--lint-fatal", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_promtool_runs_the_cases(name: str) -> None:
    done = subprocess.run([tool("promtool"), "test", "rules", CASES / f"{name}.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
