"""Every number that decides an alert is in the table of thresholds, and is told there as the rules have it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.alerts.promtool import ROOT
from tests.alerts.ruleset import ALERTS, NAMES, RECORDS

TABLE: dict[str, list[dict[str, Any]]] = yaml.safe_load((ROOT / "alerts" / "thresholds.yaml").read_text())
EXPRESSIONS = {name: [rule["expr"] for rule in ALERTS if rule["alert"] == name] for name in NAMES}
_PLACE = "{threshold}"
# A number that something is compared with, or that what it is compared with is multiplied by. 0 is no matter of taste.
_NUMBER = re.compile(r"(?:[<>]=?)\s*(?!0\b(?!\.))\d[\d.]*|\b\d[\d.]* \* (?=[a-z])")


def _pieces(alert: str) -> Iterator[tuple[dict[str, Any], re.Pattern[str]]]:
    """Each threshold with what its pieces look like in the rules; a piece ends where the number ends."""
    for row in TABLE.get(alert, []):
        for piece in row["in"]:
            number = re.escape(row["default"]) + r"(?![\d.])"
            yield row, re.compile(re.escape(piece).replace(re.escape(_PLACE), number))


def test_the_table_names_only_alerts_there_are() -> None:
    assert sorted(set(TABLE) - set(NAMES)) == []


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_threshold_is_in_the_rules_as_the_table_says(name: str) -> None:
    assert len({row["name"] for row in TABLE[name]}) == len(TABLE[name])
    for row, piece in _pieces(name):
        assert set(row) - {"told"} == {"name", "default", "in"}
        assert any(piece.search(expression) for expression in EXPRESSIONS[name]), row


def test_what_tells_a_threshold_tells_what_the_alert_decides_by() -> None:
    """One piece is one recording rule, which ends with the number."""
    pieces = [(row["default"], piece) for rows in TABLE.values() for row in rows for piece in row.get("told", ())]
    told = {
        piece: [name for name, expr in RECORDS.items() if expr.endswith(piece.replace(_PLACE, default))]
        for default, piece in pieces
    }
    assert [names for names in told.values() if len(names) != 1] == []
    assert sorted(name for (name,) in told.values()) == sorted(name for name in RECORDS if name.endswith("_budget:ratio"))


@pytest.mark.parametrize("objective", ["ttft", "itl"])
def test_the_objective_that_is_told_is_the_bound_that_misses_are_counted_by(objective: str) -> None:
    """The nearest bound of an engine's histogram at or above it."""
    expressions = [expr for name, expr in RECORDS.items() if name.startswith(f"kvdeck:slo_{objective}_missed:")]
    bounds = {bound for expr in expressions for bound in re.findall(r'le=~"([\d.]+)\|', expr)}
    told = RECORDS[f"kvdeck:slo_{objective}_objective:seconds"]
    assert bounds == {told.rpartition(" + ")[2].strip()}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_threshold_is_replaced_nowhere_else(name: str) -> None:
    """The chart replaces text: where a piece is found, the number must end there."""
    for text, default in ((text, row["default"]) for row in TABLE[name] for text in row["in"]):
        plain = text.replace(_PLACE, default)
        assert not [e for e in EXPRESSIONS[name] if re.search(re.escape(plain) + r"[\d.]", e)], text


@pytest.mark.parametrize("name", sorted(TABLE))
def test_no_piece_is_within_another(name: str) -> None:
    """The chart marks them one after the other: each must still be there when its turn comes."""
    marked = EXPRESSIONS[name]
    for row in TABLE[name]:
        for text in row["in"]:
            plain = text.replace(_PLACE, row["default"])
            assert any(plain in expression for expression in marked), text
            marked = [expression.replace(plain, text.replace(_PLACE, f"{{{row['name']}}}")) for expression in marked]


@pytest.mark.parametrize("name", NAMES)
def test_every_number_that_decides_is_in_the_table(name: str) -> None:
    left = list(EXPRESSIONS[name])
    for _, piece in _pieces(name):
        left = [piece.sub("", expression) for expression in left]
    found = [number.group().strip() for expression in left for number in _NUMBER.finditer(expression)]
    assert found == [], "add a row for it to alerts/thresholds.yaml, then run: python -m stack.deploy"
