"""Figures fill their lines, and each says what it is and who told it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard import tiles
from dashboard.figures import Figure


@pytest.mark.parametrize(
    ("count", "most", "lengths"), [(0, 8, []), (1, 8, [1]), (8, 8, [8]), (9, 8, [4, 5]), (10, 8, [5, 5]), (17, 8, [5, 6, 6])]
)
def test_no_line_is_left_nearly_empty(count: int, most: int, lengths: list[int]) -> None:
    figures = [Figure(str(number), "1", "One.") for number in range(count)]
    shown = list(tiles.lines(figures, most))
    assert [len(line) for line in shown] == lengths
    assert [one for line in shown for one in line] == figures


def _drawn() -> None:
    from dashboard import tiles
    from dashboard.figures import Figure

    tiles.draw([Figure("Busy", "25 %", "Share of the time.", "p95 30 %")], lambda _: "From control, as of 12:00:00.")


def test_a_tile_says_what_it_means_and_who_told_it() -> None:
    (metric,) = AppTest.from_function(_drawn).run().metric
    assert (metric.label, metric.value, metric.delta) == ("Busy", "25 %", "p95 30 %")
    assert metric.help == "Share of the time.\n\nFrom control, as of 12:00:00."


def test_no_page_shows_a_number_otherwise() -> None:
    root = Path(dashboard.__file__).parent
    found = [path.name for path in root.rglob("*.py") if re.search(r"\.metric\(", path.read_text("utf-8"))]
    assert found == ["tiles.py"]
