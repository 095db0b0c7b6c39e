"""Figures of a sample with what they are worth: a value, the interval that holds the true one, or why neither can be told.

Every interval is one of CONFIDENCE and closed-form. Values are given in the order of time, and count for as many independent ones
as they are worth (stack.control.dependence): in a queue neighbours fare alike, and a thousand of them say what fifty would.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate

import msgspec

from stack.control.dependence import dependence

CONFIDENCE = 0.95
FEW = 30  # Cochran (Sampling Techniques, 1977, chapter 6): from there on a ratio of sums is near enough to normal
_TAIL = (1 - CONFIDENCE) / 2
Z = 1.959964  # the normal distribution's quantile at 1 - _TAIL


class Estimate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`value` lies between `low` and `high` at CONFIDENCE, out of `samples`; or all three are None and `unknown` says why.

    `worth` is how many independent ones the samples are worth, None for as many; `least` how many of those it takes,
    where it is that which lacks.
    """

    samples: int
    worth: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unknown: str | None = None
    least: int | None = None


def quantile(values: Sequence[float], share: float) -> Estimate:
    """The least of `values` that `share` (0 to 1, both excluded) of them do not exceed, between two others of them.

    The interval is of order statistics, whatever the distribution (David and Nagaraja, Order Statistics, 2003, section 7.1). With
    fewer independent values than `needed(share)` there is none, and the quantile is unknown.
    """
    count, least = len(values), needed(share)
    if count < least:
        return too_few(count, least)
    ordered = sorted(values)
    value = ordered[math.ceil(count * share) - 1]
    worth = _worth([each > value for each in values])
    if worth < least:
        return too_few(count, least, worth)
    low, high = _ranks(worth, share)
    # The ranks are those among `worth` values, stretched to all of them.
    return Estimate(
        samples=count,
        worth=_fewer(worth, count),
        value=value,
        low=ordered[(low - 1) * count // worth],
        high=ordered[math.ceil(high * count / worth) - 1],
    )


def needed(share: float) -> int:
    """From how many samples on the `share` quantile has an interval: below that, all of them may lie on one side of it."""
    return math.ceil(math.log(_TAIL) / math.log(max(share, 1 - share)))


def proportion(hits: Sequence[bool]) -> Estimate:
    """The share of `hits` that are, with Wilson's score interval (1927), which holds near 0 and 1 as well. Unknown below FEW."""
    count, worth = len(hits), _worth(hits)
    if worth < FEW:
        return too_few(count, FEW, worth)
    share, widening = sum(hits) / count, Z * Z / worth
    middle = (share + widening / 2) / (1 + widening)
    half = Z * math.sqrt(share * (1 - share) / worth + widening / (4 * worth)) / (1 + widening)
    low, high = min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)
    return Estimate(samples=count, worth=_fewer(worth, count), value=share, low=low, high=high)


def ratio(parts: Iterable[tuple[float, float]], most: float = 1.0) -> Estimate:
    """The sum of the first over the sum of the second of each pair; it cannot be above `most`, nor below 0.

    The interval is that of the linearised ratio estimator (Cochran, 1977, chapter 6), from FEW pairs on.
    """
    pairs = list(parts)
    count, whole = len(pairs), math.fsum(all_of for _, all_of in pairs)
    if count < FEW:
        return too_few(count, FEW)
    if whole <= 0:
        return Estimate(samples=count, unknown="a share of nothing")
    value = math.fsum(part for part, _ in pairs) / whole
    residuals = [part - value * all_of for part, all_of in pairs]
    worth = _worth(residuals)
    if worth < FEW:
        return too_few(count, FEW, worth)
    half = Z * math.sqrt(math.fsum(each * each for each in residuals) / (worth - 1) * count) / whole
    return Estimate(
        samples=count, worth=_fewer(worth, count), value=value, low=max(value - half, 0.0), high=min(value + half, most)
    )


def difference(after: Estimate, before: Estimate, named: tuple[str, str] = ("after", "before")) -> Estimate:
    """`after` minus `before`; unknown when one of them is, which then is said by its name.

    The interval comes from both of theirs, each side by the distances it is made of: MOVER (Zou and Donner, Statistics in Medicine
    27, 2008), which of Wilson's intervals makes Newcombe's.
    """
    samples = min(after.samples, before.samples)
    if after.value is None or after.low is None or after.high is None:
        return Estimate(samples=samples, unknown=f"{named[0]}: {after.unknown}")
    if before.value is None or before.low is None or before.high is None:
        return Estimate(samples=samples, unknown=f"{named[1]}: {before.unknown}")
    value = after.value - before.value
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return Estimate(samples=samples, value=value, low=value - down, high=value + up)


def too_few(count: int, least: int, worth: int | None = None) -> Estimate:
    """What `count` samples, which are worth no more than `worth` independent ones, do not tell, where it takes `least`."""
    fewer = None if worth is None else _fewer(worth, count)
    said = "" if fewer is None else f", worth {fewer} independent ones,"
    return Estimate(samples=count, worth=fewer, unknown=f"too few samples: {count}{said} of at least {least}", least=least)


def _worth(series: Sequence[float]) -> int:
    return int(len(series) / dependence(series))


def _fewer(worth: int, count: int) -> int | None:
    return worth if worth < count else None


@lru_cache(maxsize=256)
def _ranks(count: int, share: float) -> tuple[int, int]:
    """Of which two of `count` ordered values, numbered from 1, the `share` quantile lies between; `count` is enough for it."""
    # How many values lie below the quantile is binomial. The sums may end a rounding error away from 1.
    below = list(accumulate(_binomial(count, number, share) for number in range(count + 1)))
    low = next(number for number, mass in enumerate(below) if mass > _TAIL)
    high = next(number for number, mass in enumerate(below) if mass >= 1 - _TAIL) + 1
    return max(low, 1), min(high, count)


def _binomial(count: int, number: int, share: float) -> float:
    ways = math.lgamma(count + 1) - math.lgamma(number + 1) - math.lgamma(count - number + 1)
    return math.exp(ways + number * math.log(share) + (count - number) * math.log1p(-share))
