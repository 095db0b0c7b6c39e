"""The rules as they are shipped, and the series they may rest on."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from stack.metrics.catalog import CATALOG
from stack.metrics.family import Kind
from tests.alerts.foreign_names import foreign_names
from tests.alerts.promtool import ROOT

RULES = ROOT / "alerts" / "rules"
RUNBOOKS = ROOT / "alerts" / "runbooks"
CASES = Path(__file__).parent / "cases"
FILES = sorted(RULES.rglob("*.yaml"))

Rule = dict[str, Any]

ALL: list[Rule] = [rule for path in FILES for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"]]
ALERTS = [rule for rule in ALL if "alert" in rule]
RECORDS = {rule["record"]: rule["expr"] for rule in ALL if "record" in rule}
NAMES = sorted({rule["alert"] for rule in ALERTS})


def rules_of(name: str) -> list[Rule]:
    """The rules of one alert's name, which differ in what they need or how bad it is."""
    return [rule for rule in ALERTS if rule["alert"] == name]


@cache
def known() -> frozenset[str]:
    """Every series that ours, others' or recording rules have."""
    histograms = {family.name for family in CATALOG.values() if family.kind is Kind.HISTOGRAM}
    parts = {f"{name}{part}" for name in histograms for part in ("_bucket", "_sum", "_count")}
    return frozenset((set(CATALOG) - histograms) | parts | RECORDS.keys() | foreign_names())


def meaning(name: str) -> str:
    """The first sentence of an alert's runbook."""
    page = (RUNBOOKS / f"{name}.md").read_text().partition("## Meaning\n\n")[2].partition("\n\n")[0]
    return re.split(r"(?<=\.)\s", page, maxsplit=1)[0].replace("\n", " ")
