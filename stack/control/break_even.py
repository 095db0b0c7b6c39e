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

    `difference` is disaggregated minus direct: below 0, disaggregation was quicker. The medians of the tokens that had to be
    computed stand beside it: a path to engines with warmer caches is quicker for that.
    """

    least: int
    direct: Estimate
    disaggregated: Estimate
    difference: Estimate
    direct_computed: Estimate
    disaggregated_computed: Estimate


def bands(records: Iterable[DecisionRecord]) -> tuple[Band, ...]:
    """Those in which requests of both paths tell their TTFT, shortest first.

    Only requests that took their planned way by their length: what a decode engine held already, and what fell back, is no like.
    """
    seen: dict[int, dict[str, list[Sample]]] = {}
    for record in records:
        sample = Sample.of(record)
        if sample is None or sample.answer is not Answer.GIVEN or sample.ttft is None or not _by_length(record):
            continue
        seen.setdefault(_least(record.prompt_tokens), {}).setdefault(record.path, []).append(sample)
    return tuple(_band(least, seen[least]) for least in sorted(seen) if len(seen[least]) == len(Path))


def _by_length(record: DecisionRecord) -> bool:
    return not record.fallbacks and record.path_reason in ("below_threshold", "at_threshold", "dpd_disabled")


def _least(prompt_tokens: int) -> int:
    return 0 if prompt_tokens < BAND_LEAST else 1 << (prompt_tokens.bit_length() - 1)


def _band(least: int, by_path: dict[str, list[Sample]]) -> Band:
    direct, disaggregated = _ttft(by_path[Path.DIRECT]), _ttft(by_path[Path.DPD])
    return Band(
        least=least,
        direct=direct,
        disaggregated=disaggregated,
        difference=difference(disaggregated, direct, ("disaggregated", "direct")),
        direct_computed=_computed(by_path[Path.DIRECT]),
        disaggregated_computed=_computed(by_path[Path.DPD]),
    )


def _ttft(samples: Iterable[Sample]) -> Estimate:
    return quantile([one.ttft for one in samples if one.ttft is not None], 0.5)


def _computed(samples: Iterable[Sample]) -> Estimate:
    """Of those that tell."""
    return quantile([one.prompt_tokens - one.cached_tokens for one in samples if one.cached_tokens is not None], 0.5)
