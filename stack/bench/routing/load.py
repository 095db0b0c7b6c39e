"""Finds the load at which a fleet under round robin is as busy as wanted."""

from __future__ import annotations

from dataclasses import replace

from stack.bench.routing.trial import Setting, run
from stack.bench.routing.workload import Workload
from stack.control.state import Dpd, ModelState

YARDSTICK = ModelState(strategy="round_robin", dpd=Dpd(enabled=False))
BUSY = 0.8
_TRIES = 6
_NEAR = 0.015


def rate_for(workload: Workload, setting: Setting, busy: float = BUSY) -> tuple[float, float]:
    """Conversations a second, and the share of time that engines then spend on prompts, `busy` as near as six runs come.

    An engine is busy while a step of its computes prompt tokens; steps that only decode leave room for a prompt at once. The
    share grows with the rate, so the next rate follows from the last runs by a straight line.
    """
    tokens = workload.prompt_tokens / len(workload.conversations)
    rate = busy * setting.decode * setting.profile.prefill_tokens_per_second / tokens
    low, high = (0.0, 0.0), None
    best = (rate, 0.0)
    for _ in range(_TRIES):
        found = run(workload, replace(setting, rate=rate), YARDSTICK).mean_busy
        if abs(found - busy) < abs(best[1] - busy):
            best = (rate, found)
        if abs(found - busy) <= _NEAR:
            break
        if found < busy:
            low = (rate, found)
        else:
            high = (rate, found)
        rate = rate * min(busy / found, 2.0) if high is None else _between(low, high, busy)
    return best


def _between(low: tuple[float, float], high: tuple[float, float], busy: float) -> float:
    share = (busy - low[1]) / (high[1] - low[1])
    return low[0] + min(max(share, 0.1), 0.9) * (high[0] - low[0])
