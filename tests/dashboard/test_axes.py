"""The frame that charts over time are drawn in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dashboard import axes

AT = datetime(2026, 9, 1, tzinfo=UTC)


@pytest.mark.parametrize("unit", ["seconds", "tokens/s"])
def test_charts_of_a_unit_begin_at_one_place_whatever_their_values_and_leave_their_words_room(unit: str) -> None:
    """Plotly looks for no margin of its own: it would draw each chart twice."""
    drawn = [axes.layout(unit, AT, AT + timedelta(hours=hours)) for hours in (1, 24)]
    assert [frame[axis]["automargin"] for frame in drawn for axis in ("xaxis", "yaxis")] == [False] * 4
    short, long = (frame["margin"] for frame in drawn)
    assert short["l"] == long["l"]
    assert long["b"] > short["b"]  # the day stands below the hours
