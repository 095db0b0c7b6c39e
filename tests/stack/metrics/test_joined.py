"""Several questions put as one."""

from __future__ import annotations

from stack.metrics.family import Label
from stack.metrics.joined import joined
from stack.metrics.queries import Query


def test_each_part_is_told_by_its_name() -> None:
    rate, hits = Query("rate(a[1m])", "1/s", (), "A rate."), Query("b or c", "ratio", (Label.TIER,), "Hits.")
    together = joined({"a rate": rate, "hits": hits})
    assert together.expr == (
        'label_replace(rate(a[1m]), "figure", "a rate", "", "") or label_replace(b or c, "figure", "hits", "", "")'
    )
    assert (together.by, together.help) == ((Label.FIGURE,), "A rate. Hits.")
