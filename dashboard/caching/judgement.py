"""Would a bigger L1 help? A clear yes, no or unknown, with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dashboard import amounts

# An answer needs some evictions that were followed; the share of them that was missed afterwards decides.
LEAST_SAMPLED = 20
MISSED = 0.05
# As the rule KvdeckL1TooSmall has it: so many of them, so soon, are a yes whatever share they are.
MANY, SOON_SECONDS = 100, 60.0
# Beyond so many times its size nobody adds memory: then the KV belongs into L2.
WITHIN_REACH = 4.0
_ROOM = 0.9  # used share below which an L1 that tells no eviction has room


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one L1 told over the window; None is what it did not tell. Times are means in seconds, `used` a ratio.

    `sampled` chunks were followed to their eviction, `again` of such were asked for afterwards, `gap` later; `lived` is how long
    they had stayed. `behind` are tokens that L2 found, which L1 did not have.
    """

    evicted: float | None = None
    sampled: float | None = None
    again: float | None = None
    lived: float | None = None
    gap: float | None = None
    reuse: float | None = None
    asked: float | None = None
    found: float | None = None
    behind: float | None = None
    used: float | None = None
    capacity: float | None = None

    @property
    def missed(self) -> float | None:
        """The share of what it evicted that was asked for again. Whoever tells of evictions tells of these once there is one."""
        return (self.again or 0.0) / self.sampled if self.sampled else None

    @property
    def growth(self) -> float | None:
        """How many times its size would have kept the average chunk until it was asked for again: at one rate of new chunks,
        how long a chunk stays grows as the size does (Little's law). Means of different chunks: an estimate."""
        return (self.lived + self.gap) / self.lived if self.lived and self.gap is not None else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer, and why."""

    answer: Answer
    why: str


def judge(told: Evidence) -> Judgement:
    """One L1's answer. What is not told leads to unknown, never to no."""
    if told.evicted is None:
        if told.used is not None and told.used < _ROOM:
            return Judgement(Answer.NO, f"it is {amounts.percent(told.used)} full: there is room")
        return Judgement(Answer.UNKNOWN, "it tells of no eviction, as before its first")
    if told.evicted < 1:
        full = "" if told.used is None else f", and is {amounts.percent(told.used)} full"
        return Judgement(Answer.NO, f"it evicted nothing{full}")
    missed = told.missed
    if missed is None:
        return Judgement(Answer.UNKNOWN, f"it evicted {told.evicted:,.0f} chunks and does not tell which were asked for again")
    if told.sampled is not None and told.sampled < LEAST_SAMPLED:
        return Judgement(Answer.UNKNOWN, f"only {told.sampled:.0f} of its evictions were followed")
    return _by_what_was_missed(told, missed)


def _by_what_was_missed(told: Evidence, missed: float) -> Judgement:
    again, growth = told.again or 0.0, told.growth
    if missed < MISSED and not (again >= MANY and told.gap is not None and told.gap < SOON_SECONDS):
        return Judgement(Answer.NO, f"{amounts.percent(missed)} of what it evicted was asked for again")
    text = f"{amounts.percent(missed)} of what it evicted was asked for again, {amounts.duration(told.gap)} later on average"
    if growth is None:
        return Judgement(Answer.YES, text)
    if growth > WITHIN_REACH:
        return Judgement(Answer.NO, f"{text}: it would take {growth:.0f} times its size to have kept it. L2 is the place for that")
    return Judgement(Answer.YES, f"{text}: about {growth:.1f} times its size would have kept it")


def overall(each: Sequence[Judgement]) -> Answer:
    """Yes where one L1 says so; no only where all do."""
    answers = {judgement.answer for judgement in each}
    if Answer.YES in answers:
        return Answer.YES
    return Answer.NO if answers == {Answer.NO} else Answer.UNKNOWN
