"""Service level objectives, asked by the names that the rules record."""

from __future__ import annotations

import pytest

from stack.metrics import objective_queries as asked
from stack.metrics.family import Label
from tests.alerts.ruleset import RECORDS


def test_only_what_the_rules_record_is_asked_for() -> None:
    missed = {f"{name.removesuffix('6h')}{window}" for name in asked.SERIES if name.endswith("6h") for window in asked.WINDOWS}
    assert sorted({*asked.SERIES, *missed} - RECORDS.keys()) == []


@pytest.mark.parametrize(("seconds", "window"), [(60, "5m"), (300, "5m"), (900, "5m"), (3600, "1h"), (86_400, "6h")])
def test_the_longest_window_within_what_is_looked_at(seconds: float, window: str) -> None:
    assert asked.window_within(seconds) == window


def test_objectives_are_told_apart_and_narrowed() -> None:
    assert asked.bound({Label.MODEL_NAME: "m"}).expr == (
        'label_replace(kvdeck:slo_ttft_objective:seconds{model_name="m"}, "objective", "ttft", "", "")'
        ' or label_replace(kvdeck:slo_itl_objective:seconds{model_name="m"}, "objective", "itl", "", "")'
    )
