"""How certain a ratio of two quantiles of what clients saw is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stack.bench.quantile import quantile

Groups = Mapping[str, Sequence[float]]
"""Values by conversation: those of one conversation hang together, so they are drawn together."""

RESAMPLES = 300
_SEED = 20


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two quantiles, and the bounds between which 95 % of resamples lie."""

    value: float
    low: float
    high: float


def ratio(ours: Groups, theirs: Groups, share: float, resamples: int = RESAMPLES) -> Ratio:
    """Our quantile over theirs, of the conversations that both have; bootstrapped by drawing the same ones for both.

    The percentile bootstrap over clusters (Efron 1979; Davison and Hinkley 1997, section 3.8).
    """
    names = sorted(ours.keys() & theirs.keys())
    rng = random.Random(_SEED)
    drawn = sorted(_once(ours, theirs, rng.choices(names, k=len(names)), share) for _ in range(resamples))
    return Ratio(_once(ours, theirs, names, share), drawn[int(0.025 * resamples)], drawn[int(0.975 * resamples)])


def _once(ours: Groups, theirs: Groups, names: Sequence[str], share: float) -> float:
    mine, other = (quantile([value for name in names for value in groups[name]], share) for groups in (ours, theirs))
    return mine / other
