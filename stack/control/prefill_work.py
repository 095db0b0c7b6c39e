"""What prompts cost the engine that computes them, as records of finished requests tell: a fixed time, and one for each token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stack.control.decision import DecisionRecord
from stack.control.estimate import FEW, Estimate
from stack.control.sample import Answer, Sample
from stack.control.straight_line import Line
from stack.model.tier import Path

_PREFILL = "prefill"  # a phase, as routers name it


@dataclass(frozen=True, slots=True)
class PrefillCost:
    """Seconds of a prefill, `fixed` ones and those for each token that had to be computed. `path` is whose prefills were measured.

    `line` is that through what was measured; None, as `path`, where too little was, which `fixed` and `per_token` say then.
    `queued`: the engines do not tell their queues, so the time in them is part of it.
    """

    fixed: Estimate
    per_token: Estimate
    line: Line | None = None
    path: Path | None = None
    queued: bool = False

    def mean(self, works: Sequence[int]) -> Estimate:
        """Of prefills that compute so many tokens each; `works` is not empty."""
        return self.fixed if self.line is None else self.line.at(sum(works) / len(works))

    def of(self, work: int) -> float:
        """Of one that computes `work` tokens; only where `mean` is known."""
        return 0.0 if self.line is None else self.line.start + self.line.slope * work


def prefill_cost(records: Sequence[DecisionRecord]) -> PrefillCost:
    """Of prefill engines, or where too few of their prefills are recorded, of decode engines that computed prompts themselves."""
    seen = []
    for path, queue in ((Path.DPD, "prefill_queue"), (Path.DIRECT, "decode_queue")):
        measured = [record for record in records if record.path == path and _prefilled(record)]
        if len(measured) >= FEW:
            line = Line.through(list(_costs(measured)))
            return PrefillCost(*line.parts(), line, path, queued=any(queue not in record.phases for record in measured))
        seen.append(len(measured))
    few = Estimate(
        samples=sum(seen),
        unknown=f"too few prefills tell their time: {seen[0]} on prefill engines and {seen[1]} on decode engines,"
        f" of at least {FEW} on either",
    )
    return PrefillCost(few, few)


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
    return ((uncached(record), record.phases[_PREFILL]) for record in records)
