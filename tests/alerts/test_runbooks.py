"""Every alert has a page of its name that says what to look at, in queries to paste."""

import re

import pytest

from stack.metrics.catalog import CATALOG
from tests.alerts.promql_names import names
from tests.alerts.ruleset import NAMES, RECORDS, RUNBOOKS, known
from tests.alerts.tables import README

SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_has_a_runbook_of_its_name(name: str) -> None:
    page = (RUNBOOKS / f"{name}.md").read_text()
    assert page.startswith(f"# {name}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS
    assert all(len(part.strip()) > 40 for part in re.split(r"^## .+$", page, flags=re.MULTILINE)[1:])


@pytest.mark.parametrize("name", NAMES)
def test_a_runbook_has_a_query_to_paste(name: str) -> None:
    diagnosis = (RUNBOOKS / f"{name}.md").read_text().partition("## Diagnosis")[2].partition("## Mitigation")[0]
    assert {word for quoted in re.findall(r"`([^`]+)`", diagnosis) for word in names(quoted)} & known()


def test_no_runbook_is_left_of_an_alert_that_is_gone() -> None:
    assert sorted(path.stem for path in RUNBOOKS.glob("*.md")) == NAMES


def test_runbooks_and_readme_name_only_metrics_that_exist() -> None:
    stems = known() | set(CATALOG) | {name.rpartition(":")[0] for name in RECORDS}
    for page in [*RUNBOOKS.glob("*.md"), README]:
        mentioned = set(re.findall(r"\b(?:kvdeck_|kvdeck:|vllm:|lmcache_mp_|lmcache:)[a-zA-Z0-9_:]+", page.read_text()))
        assert sorted(mentioned - stems) == [], page.name
