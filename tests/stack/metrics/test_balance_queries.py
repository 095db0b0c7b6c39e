"""What counts as a hotspot."""

from __future__ import annotations

import yaml

from stack.metrics import balance_queries
from tests.alerts.promtool import ROOT
from tests.expressions.expressions import rules


def test_a_hotspot_is_what_the_alert_says_it_is() -> None:
    table = yaml.safe_load((ROOT / "alerts" / "thresholds.yaml").read_text())["KvdeckHotspot"]
    bounds = {one["name"]: float(one["default"]) for one in table}
    assert bounds == {"waiting": balance_queries.HOT_WAITING, "idle": balance_queries.IDLE_REQUESTS}
    assert f"[{balance_queries.SPAN}]" in dict(rules())["KvdeckHotspot"]
