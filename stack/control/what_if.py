"""What another threshold would have done with the requests that were decided: which way, and what the prefill pool would carry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import msgspec

from stack.control.break_even import Band, bands
from stack.control.decision import DecisionRecord
from stack.control.estimate import Estimate
from stack.control.prefill_work import PrefillRate, cached, prefill_rate, uncached
from stack.control.queueing import queue
from stack.control.state import THRESHOLD_MAX, Dpd
from stack.model.tier import Path

PASS_THROUGH = "pass_through"  # neither chat nor completion: never disaggregated
_DUE = ("at_threshold", "no_ready_prefill_engine")
MODEL = (
    "Waiting is a model's: prompts that arrive at random, engines that compute one at a time. "
    "Bursts wait longer; short prompts that an engine computes together wait less."
)
LADDER = (0.5, 0.75, 0.9, 0.95, 0.99)  # of the prompts, to try thresholds at


class PrefillLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What the prefill pool would carry: prompts `per_second`, and by the model the part of it that is busy, and the mean wait.

    `saturated`: more comes than it can compute, and the queue grows for ever. `unknown` says why there are no figures.
    """

    per_second: float | None = None
    utilisation: float | None = None
    wait_seconds: float | None = None
    waiting: float | None = None
    saturated: bool = False
    unknown: str | None = None


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One threshold. The shares are of requests and of their prompt tokens; `to_prefill` and `to_direct` would have changed path.

    `unsure` of the disaggregated ones may have gone direct: an engine that was not recorded may have held them.
    """

    threshold: int
    disaggregated: int
    share: float
    token_share: float
    to_prefill: int
    to_direct: int
    unsure: int
    prefill: PrefillLoad


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """About `requests` of `model`, decided from `since` to `until` (Unix seconds). `dpd` is what is in force.

    `seconds_per_token` is what a prefill takes for each token to be computed, measured on the engines of `measured_on`.
    """

    model: str
    dpd: Dpd
    requests: int
    since: float | None
    until: float | None
    prefill_engines: int | None
    seconds_per_token: Estimate
    measured_on: Path | None
    trials: tuple[Trial, ...] = ()
    bands: tuple[Band, ...] = ()
    notes: tuple[str, ...] = ()


def what_if(
    model: str, records: Sequence[DecisionRecord], dpd: Dpd, prefill_engines: int | None, thresholds: Collection[int] = ()
) -> WhatIf:
    """Try `thresholds`, or a ladder of them, on `records` of `model`, with `dpd.min_uncached_tokens` as it is."""
    mine = [record for record in records if record.model == model and record.path_reason != PASS_THROUGH]
    times = [record.at for record in mine]
    rate = prefill_rate(mine)
    prompts = [_Prompt.of(record, dpd.min_uncached_tokens) for record in mine]
    past = _Past(prompts, rate.seconds_per_token, prefill_engines, max(times, default=0.0) - min(times, default=0.0))
    tried = sorted(set(thresholds) or ladder([record.prompt_tokens for record in mine], dpd.routing_threshold))
    return WhatIf(
        model=model,
        dpd=dpd,
        requests=len(mine),
        since=min(times, default=None),
        until=max(times, default=None),
        prefill_engines=prefill_engines,
        seconds_per_token=rate.seconds_per_token,
        measured_on=rate.path,
        trials=tuple(past.trial(threshold) for threshold in tried) if mine else (),
        bands=bands(mine),
        notes=tuple(_notes(mine, rate)),
    )


def ladder(prompts: Sequence[int], present: int) -> tuple[int, ...]:
    """Thresholds worth a try: always, the present one with its half and its double, and where shares of the prompts are reached."""
    ordered = sorted(prompts)
    steps = {ordered[ceil(share * len(ordered)) - 1] for share in LADDER} if ordered else set()
    return tuple(sorted({0, present, present // 2, min(present * 2, THRESHOLD_MAX), *steps}))


@dataclass(frozen=True, slots=True)
class _Prompt:
    """`due`: it was to be disaggregated. `held`: a decode engine was known to hold nearly all of it, None where one may have that
    was not recorded. `work` is how many of its tokens had to be computed.
    """

    tokens: int
    due: bool
    held: bool | None
    work: int

    @classmethod
    def of(cls, record: DecisionRecord, min_uncached: int) -> _Prompt:
        held = _held(record, min_uncached) if min_uncached else False
        return cls(record.prompt_tokens, record.path_reason in _DUE, held, uncached(record))


def _held(record: DecisionRecord, min_uncached: int) -> bool | None:
    known = [one.cached_tokens for one in record.decode.candidates if one.cached_tokens is not None]
    if any(record.prompt_tokens - tokens < min_uncached for tokens in known):
        return True
    return None if record.decode.omitted else False


@dataclass(frozen=True, slots=True)
class _Past:
    """`seconds` is the time that `prompts` span, `each` what a prefill takes for a token."""

    prompts: Sequence[_Prompt]
    each: Estimate
    engines: int | None
    seconds: float

    def trial(self, threshold: int) -> Trial:
        sent = [prompt for prompt in self.prompts if prompt.tokens >= threshold and prompt.held is not True]
        tokens = sum(prompt.tokens for prompt in self.prompts)
        still = sum(prompt.due for prompt in sent)
        return Trial(
            threshold=threshold,
            disaggregated=len(sent),
            share=len(sent) / len(self.prompts),
            token_share=sum(prompt.tokens for prompt in sent) / tokens if tokens else 0.0,
            to_prefill=len(sent) - still,
            to_direct=sum(prompt.due for prompt in self.prompts) - still,
            unsure=sum(prompt.held is None for prompt in sent),
            prefill=self._load(sent),
        )

    def _load(self, sent: Sequence[_Prompt]) -> PrefillLoad:
        if self.seconds <= 0:
            return PrefillLoad(unknown="all requests came at one moment")
        per_second = len(sent) / self.seconds
        each = self.each.value
        if not sent:
            return PrefillLoad(per_second=0.0, utilisation=0.0, wait_seconds=0.0, waiting=0.0)
        if each is None:
            return PrefillLoad(per_second=per_second, unknown=f"what a prefill takes: {self.each.unknown}")
        if not self.engines:
            why = "how many prefill engines there are is not known" if self.engines is None else "no prefill engine is ready"
            return PrefillLoad(per_second=per_second, unknown=why)
        line = queue(per_second, [each * prompt.work for prompt in sent], self.engines)
        return PrefillLoad(
            per_second=per_second,
            utilisation=line.utilisation,
            wait_seconds=line.wait,
            waiting=line.waiting,
            saturated=line.wait is None,
        )


def _notes(records: Sequence[DecisionRecord], rate: PrefillRate) -> Iterator[str]:
    if rate.path is not None:
        yield MODEL
    if rate.path is Path.DIRECT:
        yield "What a prefill takes was measured on decode engines, which do other work besides: too few prefill legs are recorded."
    if rate.path is not None and rate.queued:
        yield "The engines do not all tell their queues, so some waiting counts as prefill: the load is rather less than told."
    silent = sum(cached(record) is None for record in records)
    if silent:
        yield f"Of {silent} requests it is not known what was cached of their prompts; all of it is taken to be computed."
    if not all(record.tokens_exact for record in records):
        yield "Some prompts' lengths are estimates, as they were when their paths were decided."
