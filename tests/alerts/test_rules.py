"""What every rule has to say and may rest on. Its runbook and its cases have tests of their own."""

import re
import subprocess
from pathlib import Path

import pytest

from stack.metrics.catalog import CATALOG
from tests.alerts.needs import needed
from tests.alerts.promql_names import names
from tests.alerts.promtool import tool
from tests.alerts.ruleset import ALERTS, ALL, FILES, RECORDS, RULES, Rule, known
from tests.alerts.tables import README, with_tables

AGGREGATIONS = ("sum", "min", "max", "avg", "count", "group", "stddev", "topk", "bottomk", "quantile")


def _name(rule: Rule) -> str:
    return str(rule.get("alert") or rule["record"])


def _emitter(name: str) -> str:
    """What emits a series; recording rules are looked through."""
    family = CATALOG.get(name) or CATALOG.get(name.rpartition("_")[0])
    return needed(RECORDS[name], _emitter) if name in RECORDS else family.emitter.value if family else "native"


@pytest.mark.parametrize("rule", ALL, ids=_name)
def test_a_rule_rests_on_known_series(rule: Rule) -> None:
    found = names(rule["expr"])
    assert found, "an expression without a series"
    assert sorted(found - known()) == []


@pytest.mark.parametrize("rule", ALERTS, ids=_name)
def test_an_alert_tells_its_severity_what_is_wrong_and_where_to_read_on(rule: Rule) -> None:
    assert rule["alert"].startswith("Kvdeck")
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"runbooks/{rule['alert']}.md"


@pytest.mark.parametrize("rule", ALERTS, ids=_name)
def test_an_alert_says_the_least_that_must_run_for_it(rule: Rule) -> None:
    assert rule["labels"]["requires"] == needed(rule["expr"], _emitter)


def test_enough_alerts_need_nothing_of_ours() -> None:
    assert len({rule["alert"] for rule in ALERTS if rule["labels"]["requires"] == "native"}) >= 12


@pytest.mark.parametrize("rule", ALL, ids=_name)
def test_a_rule_keeps_clusters_apart_and_says_the_namespace(rule: Rule) -> None:
    expression = rule["expr"]
    joins = re.findall(r"\bon \(([^)]*)\)", expression)
    sums = re.findall(r"\bby \(([^)]*)\)", expression)
    assert [labels for labels in joins if "cluster" not in labels] == []
    assert [labels for labels in sums if not labels.startswith("cluster, namespace")] == []
    assert [*re.findall(rf"\b({'|'.join(AGGREGATIONS)}) ?\(", expression)] == []


def test_the_readme_has_the_tables_of_the_rules() -> None:
    document = README.read_text()
    assert document == with_tables(document), "python -m tests.alerts.tables writes them"


def test_every_recording_rule_is_told_of_in_a_comment() -> None:
    assert [line for line in README.read_text().splitlines() if line.startswith("| `kvdeck:") and line.endswith("|  |")] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RULES)))
def test_promtool_finds_no_fault_in_the_rules(path: Path) -> None:
    done = subprocess.run([tool("promtool"), "check", "rules", "--lint-fatal", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
