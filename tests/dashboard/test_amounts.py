"""Each kind of amount is written in one way, by one module, and what is not known is said so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dashboard
from dashboard import amounts

ROOT = Path(dashboard.__file__).parent
ELSEWHERE = {
    r":[^}\"]*%\}": "per cent",
    r"%\.\df? ?%%": "per cent of a table",
    r"format=\"percent\"": "per cent of a table",
    r"(?m)^_?UNKNOWN = \"unknown\"|(?:None|else) else \"unknown\"": "the word unknown",
    r"placeholder=\"\?*\"": "an unknown cell",
    r"health_age_seconds:|age:\.|seconds:\.\df\} s\b": "a time",
    r"\"(?:GiB|MiB|GB|MB)\"": "bytes",
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unknown"), (0.0, "0 ms"), (0.0123, "12 ms"), (2.5, "2.50 s"), (75.0, "75.0 s"), (119.4, "119 s"), (720.0, "12 min"),
        (12_600.0, "3 h 30 min"), (259_200.0, "3 d"),
    ],
)  # fmt: skip
def test_a_measured_time_has_three_digits_and_its_own_unit(value: float | None, text: str) -> None:
    assert amounts.duration(value) == text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "unknown"), (-3, "0 s"), (59.4, "59 s"), (119, "119 s"), (120, "2 min"), (3_599, "59 min"), (3_600, "1 h"),
        (5_400, "1 h 30 min"), (90_000, "1 d 1 h"),
    ],
)  # fmt: skip
def test_what_lasts_is_told_in_its_largest_whole_units(seconds: float | None, words: str) -> None:
    assert amounts.age(seconds) == words


def test_what_was_is_so_long_ago() -> None:
    assert [amounts.ago(seconds) for seconds in (None, 2.2, 400.0)] == ["unknown", "2 s ago", "6 min ago"]


def test_memory_is_in_powers_of_two_and_may_be_unknown() -> None:
    assert [amounts.memory(value) for value in (None, 0.0, 5.0 * 2**20, 1.5 * 2**30)] == ["unknown", "0 MiB", "5 MiB", "1.5 GiB"]


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0.0, "0 %"), (0.456, "46 %"), (0.1, "10 %"), (1.02, "102 %")])
def test_a_ratio_is_per_cent(value: float | None, text: str) -> None:
    assert amounts.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1e-9, "< 0.1 %"), (0.001, "0.1 %"), (0.004, "0.4 %"), (0.0312, "3.1 %"), (0.04, "4 %")]
)
def test_little_is_not_none(value: float, text: str) -> None:
    assert amounts.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.99, "99 %"), (0.996, "99.6 %"), (0.999, "99.9 %"), (0.9996, "> 99.9 %"), (0.1 + 0.2 + 0.7, "100 %")]
)
def test_nearly_all_is_not_all(value: float, text: str) -> None:
    assert amounts.percent(value) == text


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (0.9, "≤ 90 %"),
        (0.29, "≤ 29 %"),
        (0.99991, "≤ 100 %"),
        (0.9998, "≤ 99.98 %"),
        (0.12341, "≤ 12.35 %"),
        (0.0, "≤ 0 %"),
        (None, "unknown"),
    ],
)
def test_a_bound_from_above_is_rounded_up(bound: float | None, text: str) -> None:
    assert amounts.at_most(bound) == text


def test_a_table_holds_hundredths_and_writes_them_as_per_cent() -> None:
    assert (amounts.hundredths(None), amounts.PERCENT % amounts.hundredths(0.25)) == (None, "25.0 %")


@pytest.mark.parametrize(("pattern", "kind"), ELSEWHERE.items())
def test_no_other_module_writes_amounts_in_a_way_of_its_own(pattern: str, kind: str) -> None:
    assert list(_found(pattern)) == [], f"write {kind} as dashboard/amounts.py does"


def _found(pattern: str) -> Iterator[str]:
    """Where it stands. Grafana writes by its own rules, and an answer may be named unknown."""
    for module in sorted(ROOT.rglob("*.py")):
        if module.name == "amounts.py" or module.parent.name == "grafana":
            continue
        text = module.read_text("utf-8")
        yield from (f"{module.relative_to(ROOT)}: {one.group()}" for one in re.finditer(pattern, text))
