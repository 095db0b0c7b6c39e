"""A bounded number of samples, and the figures they come to."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from stack.control.estimate import Estimate, proportion, quantile, ratio
from stack.control.sample import Answer, Sample
from stack.model.tier import Path

SAMPLES_MAX = 2_000  # five times what a p99 needs; some 400 kB


class Quantiles(msgspec.Struct, frozen=True, kw_only=True):
    """Of something that each request has or has not; `samples` of each are those that have it."""

    p50: Estimate
    p95: Estimate
    p99: Estimate


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """How a number of requests fared. Times are seconds, `since` and `until` Unix time of the first and the last one decided.

    `ttft` and `gap` (between the tokens of one answer, its mean) are as in Sample. `cached` is the share of the prompt tokens of
    given answers that no engine had to compute, from all tiers together: an engine reports one number. `failed` is the share of
    requests that were not the client's mistake and whose client stayed; `left` that of requests whose client did not. Requests
    refused before they were routed have no record, so none of them is counted.
    """

    requests: int
    since: float | None
    until: float | None
    ttft: Quantiles
    gap: Quantiles
    cached: Estimate
    failed: Estimate
    left: Estimate
    disaggregated: Estimate
    prompt_tokens: Quantiles
    output_tokens: Quantiles


class Window:
    """At most `most` samples: the `newest` ones, or the first ones."""

    def __init__(self, most: int = SAMPLES_MAX, *, newest: bool = False) -> None:
        self._most, self._newest = most, newest
        self._samples: deque[Sample] = deque(maxlen=most)

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self._samples)

    @property
    def full(self) -> bool:
        """There is room for no more, unless older ones give way."""
        return len(self._samples) == self._most

    def add(self, sample: Sample) -> None:
        """Take one, if there is room."""
        if self._newest or not self.full:
            self._samples.append(sample)


def figures(samples: Iterable[Sample]) -> Figures:
    """What `samples` come to."""
    came = sorted(samples, key=lambda one: one.at)
    given = [one for one in came if one.answer is Answer.GIVEN]
    return Figures(
        requests=len(came),
        since=came[0].at if came else None,
        until=came[-1].at if came else None,
        ttft=_quantiles([one.ttft for one in came if one.ttft is not None]),
        gap=_quantiles([one.gap for one in came if one.gap is not None]),
        cached=_cached(given),
        failed=proportion([one.answer is Answer.FAILED for one in came if one.answer in (Answer.GIVEN, Answer.FAILED)]),
        left=proportion([one.answer is Answer.LEFT for one in came]),
        disaggregated=proportion([one.path == Path.DPD for one in came]),
        prompt_tokens=_quantiles([one.prompt_tokens for one in came]),
        output_tokens=_quantiles([one.output_tokens for one in given if one.output_tokens is not None]),
    )


def _quantiles(values: Sequence[float]) -> Quantiles:
    return Quantiles(p50=quantile(values, 0.5), p95=quantile(values, 0.95), p99=quantile(values, 0.99))


def _cached(given: Collection[Sample]) -> Estimate:
    told = [(min(one.cached_tokens, one.prompt_tokens), one.prompt_tokens) for one in given if one.cached_tokens is not None]
    if given and not told:
        return Estimate(samples=0, unknown="no answer says how much of its prompt was cached")
    return ratio(told)
