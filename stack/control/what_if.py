"""What another threshold would have done with the requests that were decided: which way, and what the prefill pool would carry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import msgspec

from stack.control.break_even import Band, bands
from stack.control.decision import DecisionRecord
from stack.control.estimate import Estimate
from stack.control.prefill_load import MODEL, PrefillLoad, prefill_load
from stack.control.prefill_work import PrefillCost, cached, prefill_cost, uncached
from stack.control.prompt_lengths import LengthBin, lengths
from stack.control.state import THRESHOLD_MAX, Dpd
from stack.model.tier import Path

PASS_THROUGH = "pass_through"  # neither chat nor completion: never disaggregated
_DUE = ("at_threshold", "no_ready_prefill_engine")
LADDER = (0.5, 0.75, 0.9, 0.95, 0.99)  # of the prompts, to try thresholds at


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
    """About `requests` of `model`, decided from `since` to `until` (Unix seconds). `dpd` is what is in force, `present` what that
    would have done with them; `trials` and `lengths` are with `min_uncached_tokens`.

    A prefill takes `fixed_seconds`, and `seconds_per_token` for each token to be computed, measured on engines of `measured_on`.
    """

    model: str
    dpd: Dpd
    requests: int
    since: float | None
    until: float | None
    prefill_engines: int | None
    fixed_seconds: Estimate
    seconds_per_token: Estimate
    measured_on: Path | None
    min_uncached_tokens: int = 0
    present: Trial | None = None
    trials: tuple[Trial, ...] = ()
    lengths: tuple[LengthBin, ...] = ()
    bands: tuple[Band, ...] = ()
    notes: tuple[str, ...] = ()


def what_if(
    model: str,
    records: Sequence[DecisionRecord],
    dpd: Dpd,
    prefill_engines: int | None,
    thresholds: Collection[int] = (),
    min_uncached: int | None = None,
) -> WhatIf:
    """Try `thresholds`, or a ladder of them, on `records` of `model`; with `min_uncached` tokens, or as many as are in force."""
    mine = [record for record in records if record.model == model and record.path_reason != PASS_THROUGH]
    least = dpd.min_uncached_tokens if min_uncached is None else min_uncached
    cost = prefill_cost(mine)
    times = [record.at for record in mine]
    since, until = min(times, default=None), max(times, default=None)
    now = _Past.of(mine, dpd.min_uncached_tokens, cost, prefill_engines)
    past = now if least == dpd.min_uncached_tokens else _Past.of(mine, least, cost, prefill_engines)
    tried = sorted(set(thresholds) or ladder([record.prompt_tokens for record in mine], dpd.routing_threshold))
    present = now.trial(dpd.routing_threshold) if mine else None
    return WhatIf(
        model=model,
        dpd=dpd,
        requests=len(mine),
        since=since,
        until=until,
        prefill_engines=prefill_engines,
        fixed_seconds=cost.fixed,
        seconds_per_token=cost.per_token,
        measured_on=cost.path,
        min_uncached_tokens=least,
        present=present,
        trials=tuple(past.trial(threshold) for threshold in tried) if mine else (),
        lengths=lengths(((prompt.tokens, prompt.held) for prompt in past.prompts), {dpd.routing_threshold, *thresholds}),
        bands=bands(mine),
        notes=(*_before(present, dpd), *_notes(mine, cost)),
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
    """`seconds` is the time that `prompts` span."""

    prompts: Sequence[_Prompt]
    cost: PrefillCost
    engines: int | None
    seconds: float

    @classmethod
    def of(cls, records: Sequence[DecisionRecord], min_uncached: int, cost: PrefillCost, engines: int | None) -> _Past:
        times = [record.at for record in records]
        prompts = [_Prompt.of(record, min_uncached) for record in records]
        return cls(prompts, cost, engines, max(times, default=0.0) - min(times, default=0.0))

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
            prefill=prefill_load(self.cost, [prompt.work for prompt in sent], self.engines, self.seconds),
        )


def _before(now: Trial | None, dpd: Dpd) -> Iterator[str]:
    """Why the row of what is in force is not what happened."""
    if now is None or not dpd.enabled:
        return
    if now.to_direct + now.to_prefill > now.unsure:
        yield (
            f"{now.to_direct + now.to_prefill:,} of the requests change path by the threshold in force as well: "
            "they were decided before it was."
        )


def _notes(records: Sequence[DecisionRecord], cost: PrefillCost) -> Iterator[str]:
    if cost.path is not None:
        yield MODEL
    if cost.path is Path.DIRECT:
        yield "What a prefill takes was measured on decode engines, which do other work besides: too few prefill legs are recorded."
    if cost.path is not None and cost.queued:
        yield "The engines do not all tell their queues, so some waiting counts as prefill: the load is rather less than told."
    silent = sum(cached(record) is None for record in records)
    if silent:
        yield f"Of {silent} requests it is not known what was cached of their prompts; all of it is taken to be computed."
    if not all(record.tokens_exact for record in records):
        yield "Some prompts' lengths are estimates, as they were when their paths were decided."
