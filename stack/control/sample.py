"""What one finished request says about how the fleet serves, taken off its decision record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from stack.control.decision import CLIENT_LEFT, DecisionRecord


class Answer(StrEnum):
    """What became of a request, as far as the fleet is concerned."""

    GIVEN = "given"
    FAILED = "failed"  # 5xx, or an answer that broke
    LEFT = "left"  # the client closed the connection first
    REFUSED = "refused"  # 4xx: the client's own mistake


@dataclass(frozen=True, slots=True)
class Sample:
    """Times are seconds, `at` is when it was decided (Unix time, the router's clock); None is not known.

    `ttft` ends at the first byte of the answer's body, so only streams have one. `gap` is the mean time between the tokens of one
    answer: from its first byte to its last one, over its tokens but the first; only given streams of two tokens and more that
    tell how many there were have one. `cached_tokens` of the prompt no engine had to compute, as the one says that computed the
    rest: what a decode engine gets from its prefill engine is no hit. `generation` is the one that it was decided by.
    """

    at: float
    model: str
    generation: int
    answer: Answer
    path: str
    prompt_tokens: int
    session: str | None = None
    ttft: float | None = None
    gap: float | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None

    @classmethod
    def of(cls, record: DecisionRecord) -> Sample | None:
        """What `record` says; None where another gateway carried the request out."""
        if record.observed:
            return None
        answer = _answer(record.status)
        return cls(
            at=record.at,
            model=record.model,
            generation=record.generation,
            answer=answer,
            path=record.path,
            prompt_tokens=record.prompt_tokens,
            session=record.session,
            ttft=record.ttft_seconds,
            gap=_gap(record) if answer is Answer.GIVEN else None,
            cached_tokens=record.cached_tokens if record.prefill_engine is None else record.prefill_cached_tokens,
            output_tokens=record.output_tokens,
        )


def samples(records: Iterable[DecisionRecord]) -> list[Sample]:
    """Of all records that say something, in their order."""
    return [sample for record in records if (sample := Sample.of(record)) is not None]


def _answer(status: int) -> Answer:
    if status == CLIENT_LEFT:
        return Answer.LEFT
    if status >= 500:
        return Answer.FAILED
    return Answer.REFUSED if status >= 400 else Answer.GIVEN


def _gap(record: DecisionRecord) -> float | None:
    if record.ttft_seconds is None or record.total_seconds is None or record.output_tokens is None or record.output_tokens < 2:
        return None
    return max(record.total_seconds - record.ttft_seconds, 0.0) / (record.output_tokens - 1)
