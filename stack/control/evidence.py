"""What the outcomes of sessions, drawn into two arms by chance, say about the arms."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from math import exp, log

import msgspec

from stack.control.wager import Interval, Wager, interval

RATIOS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0, 3.0, 5.0)
DIFFERENCES = (-0.5, -0.2, -0.1, -0.05, -0.02, -0.01, 0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
REFERENCE = 200  # outcomes of the control arm that ranks are told by: enough to tell hundredths, recent enough to follow the day
REFERENCE_LEAST = 20  # before that nothing is bet: ranks among a handful say little


class Ratio(msgspec.Struct, kw_only=True):
    """How many times the control arm's outcome the candidate's is: of durations, which are skewed and have no bound.

    Against the null that the ratio is d, a candidate's outcome is divided by d; then which arm a session is in has nothing to
    do with the rank of its outcome, since the arm was drawn by chance. So (1 if it is the candidate else 0, minus the share)
    times the rank, from -1 to 1 among the control arm's outcomes before it, is a fair bet, exactly, whatever the
    durations' distribution, drift or dependence between sessions: it is the draw that is random. `share` is the candidate's.
    """

    share: float
    wagers: list[Wager]
    recent: list[float] = []
    ordered: list[float] = []
    logs: list[float] = msgspec.field(default_factory=lambda: [0.0, 0.0])
    count: list[int] = msgspec.field(default_factory=lambda: [0, 0])

    @classmethod
    def of(cls, share: float, *nulls: float) -> Ratio:
        """Nothing known yet; `nulls` are those beside the usual ones that a verdict will hang on."""
        return cls(share=share, wagers=[Wager(null=null) for null in sorted({*RATIOS, *nulls})])

    def add(self, candidate: bool, seconds: float) -> None:
        """One more session's outcome, above 0."""
        self.logs[candidate] += log(seconds)
        self.count[candidate] += 1
        if len(self.ordered) >= REFERENCE_LEAST:
            self._bet(candidate, seconds)
        if not candidate:
            self._remember(seconds)

    def _bet(self, candidate: bool, seconds: float) -> None:
        drawn, most = candidate - self.share, max(self.share, 1.0 - self.share)
        ordered, size = self.ordered, len(self.ordered)
        for wager in self.wagers:
            scaled = seconds / wager.null if candidate else seconds
            rank = (bisect_left(ordered, scaled) + bisect_right(ordered, scaled)) / size - 1.0
            wager.settle(drawn * rank, -most, most)

    def _remember(self, seconds: float) -> None:
        insort(self.ordered, seconds)
        self.recent.append(seconds)
        if len(self.recent) > REFERENCE:
            del self.ordered[bisect_left(self.ordered, self.recent.pop(0))]

    @property
    def estimate(self) -> float | None:
        """The ratio of the geometric means; None before both arms have outcomes."""
        if not all(self.count):
            return None
        return exp(self.logs[True] / self.count[True] - self.logs[False] / self.count[False])

    def interval(self, error: float) -> Interval:
        """The ratio, each side wrong with a probability of at most `error`, ever."""
        return interval(self.wagers, error)


class Difference(msgspec.Struct, kw_only=True):
    """How much more of a share, from 0 to 1, the candidate arm has than the control arm: of failed requests.

    An outcome divided by the probability of its arm, of the control arm with a minus, is on average the difference (Horvitz
    and Thompson 1952), and bounded; so the same minus the null is a fair bet against it.
    """

    share: float
    wagers: list[Wager]
    sums: list[float] = msgspec.field(default_factory=lambda: [0.0, 0.0])
    count: list[int] = msgspec.field(default_factory=lambda: [0, 0])

    @classmethod
    def of(cls, share: float, *nulls: float) -> Difference:
        """Nothing known yet."""
        return cls(share=share, wagers=[Wager(null=null) for null in sorted({*DIFFERENCES, *nulls})])

    def add(self, candidate: bool, part: float) -> None:
        """One more session's outcome, from 0 to 1."""
        self.sums[candidate] += part
        self.count[candidate] += 1
        weighed = part / self.share if candidate else -part / (1.0 - self.share)
        for wager in self.wagers:
            wager.settle(weighed - wager.null, -1.0 / (1.0 - self.share) - wager.null, 1.0 / self.share - wager.null)

    @property
    def estimate(self) -> float | None:
        """The difference of the means; None before both arms have outcomes."""
        if not all(self.count):
            return None
        return self.sums[True] / self.count[True] - self.sums[False] / self.count[False]

    def interval(self, error: float) -> Interval:
        """The difference, each side wrong with a probability of at most `error`, ever."""
        return interval(self.wagers, error)


def proven(wagers: list[Wager], null: float, error: float, *, above: bool) -> bool:
    """Whether the truth is proven to be above `null`, or below it; a null that nobody bet against is none."""
    wager = next(wager for wager in wagers if wager.null == null)
    return (wager.proof_above if above else wager.proof_below) >= 1.0 / error
