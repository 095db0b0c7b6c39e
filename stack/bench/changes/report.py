"""What came of a run, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import median

import msgspec

RATE_LEAST = 0.9  # of the rate asked for, beside what chance does: arrivals are a Poisson process
RATE_DEVIATIONS = 3.0
SHOWN = 10  # faults of a kind; there may be thousands of one cause


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds; of nothing there is no Span."""

    median: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Span | None:
        return cls(median=median(seconds), most=max(seconds)) if seconds else None

    def __str__(self) -> str:
        return f"median {self.median:.2f} s, at most {self.most:.2f} s"


class Requests(msgspec.Struct, frozen=True, kw_only=True):
    """`wanted_per_second` is the rate asked for. `failed` by what was wrong. `skipped` were due and not sent, since so many were
    under way; `longest_seconds` is what the slowest answer took. `records` are decision records that arrived and were checked;
    an answer's own words always were.
    """

    sent: int
    wanted_per_second: float
    per_second: float
    failed: Mapping[str, int]
    skipped: int
    longest_seconds: float
    records: int
    mixed: Mapping[str, int]
    generations: int


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """`back` of those `applied` went back to an earlier generation. `refused` by code and field. `unanswered`: control was away.

    `pending`: answered before every router followed.
    """

    applied: int
    back: int
    refused: Mapping[str, int]
    stale: int
    unanswered: int
    pending: int
    seconds: Span | None
    started: int
    ended: int
    unsound: Sequence[str]


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended: what is desired, and what `differs` from it after `seconds`."""

    generation: int
    explained: bool
    seconds: float
    differs: Sequence[str]


class Kills(msgspec.Struct, frozen=True, kw_only=True):
    """`struck`: a change was under way. Recovery runs from the kill, to an answer and to every router following again."""

    kills: int
    struck: int
    answering: Span | None
    followed: Span | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run."""

    seed: int
    seconds: float
    emulated: bool
    requests: Requests
    changes: Changes
    end: End
    kills: Kills | None

    @property
    def faults(self) -> list[str]:
        """All that should not be; empty when everything held."""
        return [*self._faults()]

    def _faults(self) -> Iterator[str]:
        requests, changes, end = self.requests, self.changes, self.end
        yield from (f"{number} requests failed: {what}" for what, number in requests.failed.items())
        yield from _some(f"{number} requests mixed generations: {what}" for what, number in requests.mixed.items())
        if requests.skipped:
            yield f"{requests.skipped} requests were due and not sent: this machine is too slow for the rate"
        chance = RATE_DEVIATIONS * sqrt(requests.wanted_per_second / self.seconds)
        if requests.per_second < RATE_LEAST * requests.wanted_per_second - chance:
            rates = f"{requests.per_second:.1f} requests a second, not {requests.wanted_per_second:g}"
            yield f"{rates}: this machine is too slow or too busy"
        yield from _some(changes.unsound)
        if not end.explained:
            yield "the history does not lead to the desired state"
        yield from (f"still not as desired after {end.seconds:.0f} s: {what}" for what in end.differs)


def lines(report: Report) -> Iterator[str]:
    """For people."""
    requests, changes, end, kills = report.requests, report.changes, report.end, report.kills
    kind = "emulated engines" if report.emulated else "real engines"
    yield f"{report.seconds:.0f} s over {kind}, seed {report.seed}"
    yield (
        f"requests   {requests.sent:,} at {requests.per_second:.1f}/s, the slowest {requests.longest_seconds:.1f} s, "
        f"{sum(requests.failed.values())} failed, "
        f"{sum(requests.mixed.values())} mixed generations"
    )
    yield f"checked    {requests.records:,} decision records of {requests.generations} generations, and what each answer says"
    refused = "; ".join(f"{number} {what}" for what, number in changes.refused.items())
    yield f"changes    {changes.applied} applied, {changes.back} of them back to an earlier generation; " + (
        f"{changes.stale} stale, {changes.unanswered} unanswered"
    )
    yield f"refused    {sum(changes.refused.values())}{f': {refused}' if refused else ''}"
    yield f"engines    {changes.started} started, {changes.ended} ended"
    if changes.seconds is not None:
        yield f"a change   {changes.seconds}, until every router had followed; {changes.pending} were answered before that"
    if kills is not None:
        yield f"kills      {kills.kills}, {kills.struck} while a change was under way"
        yield f"recovery   control answers: {kills.answering}; every router follows: {kills.followed}"
    yield (
        f"end        generation {end.generation}, desired = applied after {end.seconds:.1f} s"
        if not end.differs
        else (f"end        generation {end.generation}, not as desired")
    )
    faults = report.faults
    yield "did not hold:" if faults else "everything held"
    yield from (f"- {fault}" for fault in faults)


def _some(faults: Iterable[str]) -> list[str]:
    every = list(faults)
    more = len(every) - SHOWN
    return every if more <= 0 else [*every[:SHOWN], f"and {more} more like it"]
