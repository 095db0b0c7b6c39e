"""Bets against a null: evidence that stays valid however often it is looked at, and whenever one stops."""

from __future__ import annotations

import msgspec

FRACTIONS = (0.03, 0.1, 0.2, 0.4, 0.7)  # of the largest stake that cannot ruin: which is best depends on an effect nobody knows
CAPITAL_MAX = 1e12  # proof enough: nothing is bet beyond it, for a number that is kept as JSON must stay finite


def _purse() -> list[float]:
    return [1.0] * len(FRACTIONS)


class Wager(msgspec.Struct, kw_only=True):
    """What gamblers make of 1 who bet that the truth lies above `null`, and below it, each by all FRACTIONS.

    While the null holds, a gambler's capital is a nonnegative supermartingale, so that it ever reaches 1/a with a
    probability of at most a (Ville 1939), however often anyone looks. So is the mean over the fractions, and so `proof_above`
    and `proof_below`, the most that it ever was, are evidence that is never taken back. After Waudby-Smith and Ramdas,
    "Estimating means of bounded random variables by betting", JRSS B 86 (2024), with fixed bets instead of adaptive ones.
    """

    null: float
    above: list[float] = msgspec.field(default_factory=_purse)
    below: list[float] = msgspec.field(default_factory=_purse)
    proof_above: float = 1.0
    proof_below: float = 1.0

    def settle(self, payoff: float, least: float, most: float) -> None:
        """One more `payoff` of a bet that the truth is above the null; it lay between `least` < 0 and `most` > 0 for certain."""
        if self.proof_above < CAPITAL_MAX:
            self.above = _won(self.above, payoff / -least)
            self.proof_above = max(self.proof_above, sum(self.above) / len(FRACTIONS))
        if self.proof_below < CAPITAL_MAX:
            self.below = _won(self.below, -payoff / most)
            self.proof_below = max(self.proof_below, sum(self.below) / len(FRACTIONS))


def _won(capital: list[float], part: float) -> list[float]:
    return [have * (1.0 + fraction * part) for have, fraction in zip(capital, FRACTIONS)]  # noqa: B905  # a third of its time


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Where the truth lies, at every look at once; an end is None where nothing of it is proven."""

    low: float | None = None
    high: float | None = None


def interval(wagers: list[Wager], error: float) -> Interval:
    """From the nulls that are disproved, each side with a probability of at most `error` to be wrong, ever."""
    above = [wager.null for wager in wagers if wager.proof_above >= 1.0 / error]
    below = [wager.null for wager in wagers if wager.proof_below >= 1.0 / error]
    return Interval(low=max(above, default=None), high=min(below, default=None))
