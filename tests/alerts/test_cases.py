"""Every alert has cases that fire it, and cases that do not: a counter that begins anew, a missing series, one of many."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.alerts.cases import cases, document, series_name
from tests.alerts.needs import ORDER, needed
from tests.alerts.promql_names import names
from tests.alerts.promtool import tool
from tests.alerts.ruleset import CASES, FILES, NAMES, RECORDS, rules_of


def _asked(expression: str) -> set[str]:
    """Every series an expression rests on, also by recording rules."""
    return {root for name in names(expression) for root in (_asked(RECORDS[name]) if name in RECORDS else {name})}


def _looks_at_growth(expression: str) -> bool:
    return bool(re.search(r"\b(rate|increase)\(", expression)) or any(
        _looks_at_growth(RECORDS[name]) for name in names(expression) & RECORDS.keys()
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_case_that_fires_it_and_one_that_never_does(name: str) -> None:
    assert {bool(case.most) for case in cases(name)} == {True, False}


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_is_silent_when_a_counter_begins_anew(name: str) -> None:
    growth = set().union(*(_asked(rule["expr"]) for rule in rules_of(name) if _looks_at_growth(rule["expr"])))
    silent = [case for case in cases(name) if not case.most]
    assert not growth or [case for case in silent if any(each.begins_anew and each.name in growth for each in case.series)]


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_case_with_many_of_which_not_all_are_ill(name: str) -> None:
    assert [case for case in cases(name) if case.most < case.siblings]


@pytest.mark.parametrize("name", NAMES)
def test_promtool_runs_the_cases_and_each_without_a_series_that_the_alert_needs(name: str, tmp_path: Path) -> None:
    own = document(name)
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": _groups(name)}))
    without = _poorer(own["tests"], name)
    own |= {"rule_files": ["rules.yaml"], "tests": own["tests"] + without}
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump(own))
    command = [tool("promtool"), "test", "rules", str(tmp_path / "cases.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_case_is_left_of_an_alert_that_is_gone() -> None:
    assert sorted(path.stem for path in CASES.glob("*.yaml")) == NAMES


def _groups(name: str) -> list[dict[str, Any]]:
    """The groups of the shipped rules with only those that the alert is made of: a case then takes a tenth of the time."""
    recorded: set[str] = set()
    left = {found for rule in rules_of(name) for found in names(rule["expr"]) & RECORDS.keys()}
    while left:
        recorded |= left
        left = {found for each in left for found in names(RECORDS[each]) & RECORDS.keys()} - recorded
    groups = [group for path in FILES for group in yaml.safe_load(path.read_text())["groups"]]
    for group in groups:
        group["rules"] = [rule for rule in group["rules"] if rule.get("alert") == name or rule.get("record") in recorded]
    return [group for group in groups if group["rules"]]


def _poorer(tests: list[dict[str, Any]], alert: str) -> list[dict[str, Any]]:
    """The first firing case of each metric that no rule of the alert can do without, but without it: then nothing fires."""
    found: dict[str, dict[str, Any]] = {}
    for test in tests:
        if not any(check["exp_alerts"] for check in test["alert_rule_test"]):
            continue
        for metric in {series_name(each["series"]) for each in test["input_series"]} - found.keys():
            left = [each for each in test["input_series"] if series_name(each["series"]) != metric]
            if left and all(_cannot_do_without(metric, rule["expr"]) for rule in rules_of(alert)):
                found[metric] = {
                    **test,
                    "name": f"{test['name']}, but without {metric}",
                    "input_series": left,
                    "alert_rule_test": [check | {"exp_alerts": []} for check in test["alert_rule_test"]],
                }
    return list(found.values())


def _cannot_do_without(metric: str, expression: str) -> bool:
    """Whether `expression` has no value where `metric` has none."""

    def emitter(name: str) -> str:
        return needed(RECORDS[name], emitter) if name in RECORDS else ORDER[name == metric]

    return needed(expression, emitter) == ORDER[True]
