"""Whether disaggregation paid, by length of prompt: the time to the first token of either path, where both were seen."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from stack.control.decision import DecisionRecord
from stack.control.estimate import Estimate, difference, quantile
from stack.control.sample import Answer, Sample
from stack.model.tier import Path

BAND_LEAST = 64  # shorter prompts are one band: nothing is disaggregated there for its length


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """Prompts of `least` tokens and more, below twice that (the first band: from 0). Median TTFT in seconds by path.

    `difference` is disaggregated minus direct: below 0, disaggregation was quicker.
    """

    least: int
    direct: Estimate
    disaggregated: Estimate
    difference: Estimate


def bands(records: Iterable[DecisionRecord]) -> tuple[Band, ...]:
    """Those in which requests of both paths tell their TTFT, shortest first.

    Only requests that took their planned way by their length: what a decode engine held already, and what fell back, is no like.
    """
    seen: dict[int, dict[str, list[float]]] = {}
    for record in records:
        sample = Sample.of(record)
        if sample is None or sample.answer is not Answer.GIVEN or sample.ttft is None or not _by_length(record):
            continue
        seen.setdefault(_least(record.prompt_tokens), {}).setdefault(record.path, []).append(sample.ttft)
    return tuple(_band(least, seen[least]) for least in sorted(seen) if len(seen[least]) == len(Path))


def _by_length(record: DecisionRecord) -> bool:
    return not record.fallbacks and record.path_reason in ("below_threshold", "at_threshold", "dpd_disabled")


def _least(prompt_tokens: int) -> int:
    return 0 if prompt_tokens < BAND_LEAST else 1 << (prompt_tokens.bit_length() - 1)


def _band(least: int, by_path: dict[str, list[float]]) -> Band:
    direct, disaggregated = quantile(by_path[Path.DIRECT], 0.5), quantile(by_path[Path.DPD], 0.5)
    apart = difference(disaggregated, direct, ("disaggregated", "direct"))
    return Band(least=least, direct=direct, disaggregated=disaggregated, difference=apart)
