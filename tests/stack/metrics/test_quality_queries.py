"""How good choices were."""

from __future__ import annotations

from stack.metrics import quality_queries
from tests.expressions.expressions import rules


def test_what_the_index_was_wrong_about_is_what_the_alert_counts() -> None:
    assert f'le="{quality_queries.MISSING_TOKENS}"' in dict(rules())["KvdeckIndexWrong"]
