"""How good choices were."""

from __future__ import annotations

import yaml

from stack.metrics import quality_queries
from tests.alerts.promtool import ROOT
from tests.expressions.expressions import rules


def test_what_the_index_was_wrong_about_is_what_the_alert_counts() -> None:
    assert f'le="{quality_queries.MISSING_TOKENS}"' in dict(rules())["KvdeckIndexWrong"]


def test_so_many_fallbacks_are_too_many_for_the_alert_as_well() -> None:
    table = yaml.safe_load((ROOT / "alerts" / "thresholds.yaml").read_text())["KvdeckRoutingFallbacks"]
    assert next(float(one["default"]) for one in table if one["name"] == "share") == quality_queries.FALLBACKS_SHARE
