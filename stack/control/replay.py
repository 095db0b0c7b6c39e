"""Decides recorded requests again, by another order of the candidates: from the records, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from stack.control.decision import Candidate, DecisionRecord, Selection

OWN = "own"  # by the part that ranked the candidates when it was decided
IN_FLIGHT, CACHED = "in_flight", "cached_tokens"
SECONDS = "ttft_s"


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions of one strategy against the same ones by another order; about the engine that computes the prompt.

    `again` of them come out the same. Of the others, `more_tokens` are believed to be cached at the engine that the order
    prefers, and the first token was predicted `sooner_seconds` earlier there, on average; None where nothing is known.
    """

    strategy: str
    decisions: int
    again: int
    more_tokens: float | None = None
    sooner_seconds: float | None = None


@dataclass(slots=True)
class _Tally:
    decisions: int = 0
    again: int = 0
    tokens: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def replay(records: Iterable[DecisionRecord], by: str = OWN) -> tuple[Replayed, ...]:
    """A row a strategy, by name. `by` is OWN, IN_FLIGHT, CACHED or a score part, of which the least is best (of CACHED the most).

    Left out is what cannot be decided so: a single candidate, one of which the figure is not known, or, but for OWN, a pool of
    which not every engine was recorded.
    """
    tallies: dict[str, _Tally] = {}
    for record in records:
        chosen = record.computing
        ranked = None if chosen.omitted and by != OWN else _ranked(chosen, by)
        acting = next((one for one in chosen.candidates if one.engine == chosen.engine), None)
        if ranked is None or acting is None or len(ranked) < 2:
            continue
        _count(tallies.setdefault(chosen.strategy, _Tally()), acting, ranked[0])
    return tuple(_row(strategy, tallies[strategy]) for strategy in sorted(tallies))


def _ranked(chosen: Selection, by: str) -> Sequence[Candidate] | None:
    """The candidates, best first; those that nothing tells apart in the order in which they were recorded."""
    part = chosen.ranked_by if by == OWN else by
    values = [_value(one, part) for one in chosen.candidates]
    known = [value for value in values if value is not None]
    if part is None or len(known) < len(values):
        return None
    return [one for _, _, one in sorted(_numbered(known, chosen.candidates), key=lambda each: each[:2])]


def _numbered(values: Sequence[float], candidates: Sequence[Candidate]) -> Iterator[tuple[float, int, Candidate]]:
    return ((value, number, one) for number, (value, one) in enumerate(zip(values, candidates, strict=True)))


def _value(candidate: Candidate, part: str | None) -> float | None:
    if part == IN_FLIGHT:
        return candidate.in_flight
    if part == CACHED:
        return None if candidate.cached_tokens is None else -candidate.cached_tokens
    return candidate.scores.get(part or "")


def _count(tally: _Tally, acting: Candidate, best: Candidate) -> None:
    tally.decisions += 1
    if best.engine == acting.engine:
        tally.again += 1
        return
    if best.cached_tokens is not None and acting.cached_tokens is not None:
        tally.tokens.append(best.cached_tokens - acting.cached_tokens)
    if SECONDS in best.scores and SECONDS in acting.scores:
        tally.seconds.append(acting.scores[SECONDS] - best.scores[SECONDS])


def _row(strategy: str, tally: _Tally) -> Replayed:
    return Replayed(
        strategy=strategy,
        decisions=tally.decisions,
        again=tally.again,
        more_tokens=_mean(tally.tokens),
        sooner_seconds=_mean(tally.seconds),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
