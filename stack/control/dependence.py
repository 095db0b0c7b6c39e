"""How much less a series says than as many independent values would: requests of one burst, queue or session fare alike."""

from __future__ import annotations

from collections.abc import Sequence

BATCHES_LEAST, BATCHES_MOST = 10, 20  # Schmeiser (Operations Research 30, 1982): more than 30 gain nothing, fewer than 10 cost much
BATCH_LEAST = 4


def dependence(series: Sequence[float]) -> float:
    """How many values of `series`, in the order of time, are worth one independent value: 1 and more.

    By batch means: the variance of the means of consecutive batches, over what it would be without dependence. A series too short
    for batches is taken for independent. Of a quantile, the series is of who exceeded it (Heidelberger and Lewis, Operations
    Research 32, 1984).
    """
    count = len(series)
    if count < BATCHES_LEAST * BATCH_LEAST:
        return 1.0
    batches = min(max(count // BATCHES_LEAST, BATCHES_LEAST), BATCHES_MOST)
    size = count // batches
    mean = sum(series) / count
    variance = sum((value - mean) ** 2 for value in series) / count
    if variance <= 0:
        return 1.0
    means = [sum(series[begin : begin + size]) / size for begin in range(0, batches * size, size)]
    middle = sum(means) / batches
    between = sum((value - middle) ** 2 for value in means) / (batches - 1)
    return max(1.0, size * between / variance)
