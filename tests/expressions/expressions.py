"""The expressions that dashboards and rules are made of, and what is asked in them."""

import re
from typing import Any

import yaml

from dashboard.grafana.boards import BOARDS
from dashboard.grafana.document import WINDOW
from dashboard.grafana.shapes import Panel
from tests.alerts.promql_names import names
from tests.alerts.promtool import ROOT
from tests.alerts.ruleset import RECORDS


def panels() -> list[Panel]:
    """Every panel of every board."""
    return [panel for board in BOARDS for row in board.rows for panel in row.panels]


def narrowed(expression: str, cluster: str) -> str:
    """As Grafana asks it with this cluster chosen, and All for the rest."""
    filled = expression.replace(WINDOW, "5m").replace("$cluster", cluster)
    return re.sub(r"\$(namespace|model|pool|replica)\b", ".*", filled)


def rules() -> list[tuple[str, str]]:
    """Every rule's name and expression, alerts and recording rules."""
    documents = [yaml.safe_load(path.read_text()) for path in sorted((ROOT / "alerts" / "rules").rglob("*.yaml"))]
    found: list[dict[str, Any]] = [rule for document in documents for group in document["groups"] for rule in group["rules"]]
    return [(rule.get("alert") or rule["record"], rule["expr"]) for rule in found]


def selectors(expression: str) -> set[str]:
    """Every selector of `expression` that is not a recording rule's series; that rule's own expression is run, too."""
    foreign = {name for name in names(expression) if not name.startswith("kvdeck:")}
    return {found for name in foreign for found in re.findall(rf"(?<![\w:]){name}(?![\w:])(?:\{{[^{{}}]*\}})?", expression)}


def expanded(expression: str) -> str:
    """`expression` with every recording rule's series replaced by what it is recorded from; a matcher on it is dropped."""
    found = next((name for name in names(expression) if name in RECORDS), None)
    if found is None:
        return expression
    return expanded(re.sub(rf"(?<![\w:]){found}(?![\w:])(?:\{{[^{{}}]*\}})?", lambda _: f"({RECORDS[found]})", expression))
