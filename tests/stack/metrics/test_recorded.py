"""Long ranges go by what rules have recorded; whatever asks for one engine, or for less time, does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from stack.metrics import queries
from stack.metrics.family import Family, Label
from stack.metrics.promql import KEPT
from stack.metrics.recorded import OVER_SECONDS, RECORDED, Recorded, shortened

RULES = yaml.safe_load((Path(__file__).parents[3] / "alerts/rules/recording.yaml").read_text(encoding="utf-8"))


def test_a_week_of_the_waterfall_is_the_mean_of_what_was_recorded() -> None:
    query = queries.waterfall({Label.MODEL_NAME: 'a "model"'}, "5040s")
    assert shortened(query.expr) == (
        "sum by (cluster, namespace, source) "
        r'(avg_over_time(kvdeck:prompt_tokens:rate5m{pool="decode",model_name="a \"model\""}[5040s]))'
    )


def test_both_sides_of_a_ratio_are() -> None:
    assert shortened(queries.hit_ratio(window="720s").expr) == (
        "sum by (cluster, namespace, tier) (avg_over_time(kvdeck:cache_hit_tokens:rate5m{}[720s]))"
        " / (sum by (cluster, namespace, tier) (avg_over_time(kvdeck:cache_lookup_tokens:rate5m{}[720s])) > 0)"
    )


@pytest.mark.parametrize(
    "expression",
    [
        queries.waterfall(window="60s").expr,
        queries.waterfall_of_engines(window="720s").expr,
        queries.waterfall({Label.REPLICA: "decode-0"}, "720s").expr,
        queries.requests(window="720s").expr,
        queries.engine_requests().expr,
    ],
)
def test_what_was_not_recorded_is_asked_for_as_it_is(expression: str) -> None:
    assert shortened(expression) == expression


@pytest.mark.parametrize(("family", "recorded"), RECORDED.items(), ids=lambda one: one.name)
def test_the_rules_record_just_that(family: Family, recorded: Recorded) -> None:
    (rule,) = (rule for group in RULES["groups"] for rule in group["rules"] if rule.get("record") == recorded.name)
    by, _, summed = rule["expr"].removeprefix("sum by (").partition(") ")
    assert {*by.split(", ")} == {*KEPT, *recorded.labels}
    assert summed == f"(rate({family.name}[{OVER_SECONDS // 60}m]))"
