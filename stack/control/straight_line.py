"""A straight line through samples, neither its start nor its slope below 0, and what it tells of others, if it does.

Least squares. The intervals hold where long ones vary more than short ones and where few long ones decide: HC3 (MacKinnon and
White, Journal of Econometrics 29, 1985) sees each sample as far off as the line through all others misses it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stack.control.dependence import dependence
from stack.control.estimate import FEW, Estimate, Z, too_few

REACH = 2.0  # times the greatest x seen; a line goes on, but what takes no longer for 30 tokens than for 10 does for 1,000
WIDE = 0.5  # of the value: half an interval wider than that tells nothing


@dataclass(frozen=True, slots=True)
class Line:
    """y = `start` + `slope` * x, of samples whose x have `mean` and `spread` (sum of squares about it) and end at `least`, `most`.

    `misses` is by how much the line through all others misses each sample, widened for samples that are not independent.
    """

    xs: Sequence[float]
    misses: Sequence[float]
    start: float
    slope: float
    mean: float
    spread: float
    worth: int

    @classmethod
    def through(cls, pairs: Sequence[tuple[float, float]]) -> Line:
        """Of at least one pair (x, y), in the order of time, none below 0."""
        count = len(pairs)
        xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
        mean, middle = math.fsum(xs) / count, math.fsum(ys) / count
        spread = math.fsum((x - mean) ** 2 for x in xs) if min(xs) < max(xs) else 0.0
        slope = math.fsum((x - mean) * y for x, y in pairs) / spread if spread else 0.0
        start = middle - slope * mean
        residuals = [y - start - slope * x for x, y in pairs]
        worth = int(count / dependence(residuals))
        widening = math.sqrt(count / max(worth, 1))
        misses = [_miss(residual, x - mean, count, spread) * widening for x, residual in zip(xs, residuals, strict=True)]
        return cls(xs, misses, *_not_below_zero(pairs, start, slope, middle), mean, spread, worth)

    def at(self, x: float) -> Estimate:
        """The mean y there; unknown where the samples do not tell."""
        if len(self.xs) < FEW or self.worth < FEW:
            return too_few(len(self.xs), FEW, self.worth)
        value, half = self.start + self.slope * x, self._half(x)
        if x > REACH * max(self.xs) or half > WIDE * value:
            seen = f"samples at {min(self.xs):,.0f} to {max(self.xs):,.0f}"
            return Estimate(samples=len(self.xs), unknown=f"{seen} do not tell of {x:,.0f}")
        return self._within(value, half)

    def parts(self) -> tuple[Estimate, Estimate]:
        """Start and slope. Unknown where the samples do not tell one from the other: either may be nothing."""
        if len(self.xs) < FEW or self.worth < FEW:
            few = too_few(len(self.xs), FEW, self.worth)
            return few, few
        halves = self._half(0.0), self._half_slope()
        if not (halves[0] <= self.start or halves[1] <= self.slope) or math.inf in halves:
            seen = f"samples at {min(self.xs):,.0f} to {max(self.xs):,.0f}"
            apart = Estimate(samples=len(self.xs), unknown=f"{seen} do not tell a fixed part from one that grows")
            return apart, apart
        return self._within(self.start, halves[0]), self._within(self.slope, halves[1])

    def _within(self, value: float, half: float) -> Estimate:
        count = len(self.xs)
        worth = self.worth if self.worth < count else None
        return Estimate(samples=count, worth=worth, value=value, low=max(value - half, 0.0), high=value + half)

    def _half(self, x: float) -> float:
        count, aside = len(self.xs), x - self.mean
        if not self.spread:
            return math.inf if aside else _half([1 / count] * count, self.misses)
        return _half([1 / count + aside * (each - self.mean) / self.spread for each in self.xs], self.misses)

    def _half_slope(self) -> float:
        return _half([(each - self.mean) / self.spread for each in self.xs], self.misses) if self.spread else math.inf


def _half(weights: Sequence[float], misses: Sequence[float]) -> float:
    """Half of the interval of a sum of y by `weights`."""
    return Z * math.sqrt(math.fsum((weight * miss) ** 2 for weight, miss in zip(weights, misses, strict=True)))


def _miss(residual: float, aside: float, count: int, spread: float) -> float:
    """Infinite for a sample that decides alone where the line goes."""
    others = 1 - 1 / count - (aside * aside / spread if spread else 0.0)
    return residual / others if others > 1e-9 else math.inf


def _not_below_zero(pairs: Sequence[tuple[float, float]], start: float, slope: float, middle: float) -> tuple[float, float]:
    if slope < 0:
        return middle, 0.0
    if start < 0:
        return 0.0, math.fsum(x * y for x, y in pairs) / math.fsum(x * x for x, _ in pairs)
    return start, slope
