"""The quantile that benchmarks go by: one of the values that were measured."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest of `values` that at least `share` (0 to 1) of them do not exceed. Raises ValueError when there are none."""
    if not values:
        raise ValueError("a quantile of nothing")
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
