"""What prompts cost the engine that computes them, as records of finished requests tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stack.control.decision import DecisionRecord
from stack.control.estimate import Estimate, ratio
from stack.control.sample import Answer, Sample
from stack.model.tier import Path

_PREFILL = "prefill"  # a phase, as routers name it


@dataclass(frozen=True, slots=True)
class PrefillRate:
    """Seconds for each prompt token that had to be computed. `path` is whose prefills were measured, None for none.

    `queued`: the engines do not tell their queues, so the time in them is part of it.
    """

    seconds_per_token: Estimate
    path: Path | None
    queued: bool = False


def prefill_rate(records: Sequence[DecisionRecord]) -> PrefillRate:
    """Of prefill engines, or where too few of their prefills are recorded, of decode engines that computed prompts themselves."""
    for path, queue in ((Path.DPD, "prefill_queue"), (Path.DIRECT, "decode_queue")):
        measured = [record for record in records if record.path == path and _prefilled(record)]
        rate = ratio(_costs(measured), most=math.inf)
        if rate.value is not None:
            return PrefillRate(rate, path, queued=any(queue not in record.phases for record in measured))
    return PrefillRate(rate, None)


def cached(record: DecisionRecord) -> int | None:
    """Tokens of the prompt that no engine had to compute; None where nobody says."""
    sample = Sample.of(record)
    return None if sample is None else sample.cached_tokens


def uncached(record: DecisionRecord) -> int:
    """Tokens of the prompt that had to be computed, all of them where nobody says. At least one always is."""
    return max(record.prompt_tokens - (cached(record) or 0), 1)


def _prefilled(record: DecisionRecord) -> bool:
    sample = Sample.of(record)
    if sample is None or sample.answer is not Answer.GIVEN:
        return False
    return sample.cached_tokens is not None and _PREFILL in record.phases


def _costs(records: Iterable[DecisionRecord]) -> Iterable[tuple[float, float]]:
    return ((record.phases[_PREFILL], uncached(record)) for record in records)
