"""What the prefill pool carries when certain prompts come to it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stack.control.prefill_work import PrefillCost
from stack.control.queueing import queue
from stack.model.tier import Path

MODEL = (
    "Waiting is a model's: prompts that arrive at random, engines that compute one at a time. "
    "Bursts wait longer; short prompts that an engine computes together wait less. "
    "A prompt that changes path is taken to find as much cached there as where it was computed."
)


class PrefillLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What the prefill pool would carry: prompts `per_second`, and by the model the part of it that is busy, and the mean wait.

    `utilisation_low` and `utilisation_high` allow for how well a prefill's time is known, at CONFIDENCE; None where it was not
    measured on prefill engines. `saturated`: more comes than it can compute, and the queue grows for ever. `unknown` says why
    there are no figures.
    """

    per_second: float | None = None
    utilisation: float | None = None
    utilisation_low: float | None = None
    utilisation_high: float | None = None
    wait_seconds: float | None = None
    waiting: float | None = None
    saturated: bool = False
    unknown: str | None = None


def prefill_load(cost: PrefillCost, works: Sequence[int], engines: int | None, seconds: float) -> PrefillLoad:
    """Of prompts with `works` tokens to compute, that came within `seconds`, on `engines` (None: nobody knows how many)."""
    if seconds <= 0:
        return PrefillLoad(unknown="all requests came at one moment")
    if not works:
        return PrefillLoad(per_second=0.0, utilisation=0.0, wait_seconds=0.0, waiting=0.0)
    per_second = len(works) / seconds
    if not engines:
        why = "how many prefill engines there are is not known" if engines is None else "no prefill engine is ready"
        return PrefillLoad(per_second=per_second, unknown=why)
    each = cost.mean(works)
    if each.value is None or each.low is None or each.high is None:
        return PrefillLoad(per_second=per_second, unknown=f"what a prefill takes, by tokens computed: {each.unknown}")
    line = queue(per_second, [cost.of(work) for work in works], engines)
    theirs = cost.path is Path.DPD
    return PrefillLoad(
        per_second=per_second,
        utilisation=line.utilisation,
        utilisation_low=per_second * each.low / engines if theirs else None,
        utilisation_high=per_second * each.high / engines if theirs else None,
        wait_seconds=line.wait,
        waiting=line.waiting,
        saturated=line.wait is None,
    )
