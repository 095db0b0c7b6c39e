"""The promtool cases as data: what each series' values are, and how many alerts fire."""

import re
from dataclasses import dataclass
from typing import Any

import yaml

from tests.alerts.ruleset import CASES

_SERIES = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$")
_VALUE = re.compile(r"(-?[\d.]+)(?:([+-][\d.]+))?(?:x(\d+))?$")
_COUNTS = ("_total", "_sum", "_count", "_bucket")


@dataclass(frozen=True, slots=True)
class Series:
    """One input series."""

    name: str
    values: tuple[float, ...]

    @property
    def begins_anew(self) -> bool:
        """Whether it is a counter that steps back."""
        return self.name.endswith(_COUNTS) and any(b < a for a, b in zip(self.values, self.values[1:], strict=False))


@dataclass(frozen=True, slots=True)
class Case:
    """One promtool test: its series, and the most alerts that fire at once."""

    series: tuple[Series, ...]
    most: int

    @property
    def siblings(self) -> int:
        """How many series the metric has that has most."""
        names = [series.name for series in self.series]
        return max(map(names.count, names))


def document(name: str) -> dict[str, Any]:
    """An alert's case file, its values as they are written: promtool's 0x40 is no number."""
    found: dict[str, Any] = yaml.load((CASES / f"{name}.yaml").read_text(), yaml.BaseLoader)
    return found


def cases(name: str) -> list[Case]:
    """The cases of an alert."""
    return [_case(test, name) for test in document(name)["tests"]]


def series_name(series: str) -> str:
    """The metric of a series as promtool has it written."""
    found = _SERIES.match(series)
    assert found, series
    return found[1]


def _case(test: dict[str, Any], name: str) -> Case:
    firing = [len(check["exp_alerts"]) for check in test["alert_rule_test"] if check["alertname"] == name]
    return Case(tuple(_series(**each) for each in test["input_series"]), max(firing))


def _series(series: str, values: str) -> Series:
    return Series(series_name(series), tuple(value for part in values.split() for value in _expanded(part)))


def _expanded(part: str) -> list[float]:
    """promtool's notation: `3`, `1x4`, `0+2x10`; gaps and the end of a series have no values."""
    if part == "stale" or part.startswith("_"):
        return []
    found = _VALUE.match(part)
    assert found, part
    start, step, times = float(found[1]), float(found[2] or 0), int(found[3] or 0)
    return [start + step * index for index in range(times + 1)]
