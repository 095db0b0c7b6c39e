"""What a prefill takes is a fixed time and one for each token, learnt from prefill engines where there are enough of theirs."""

from __future__ import annotations

import random

import pytest

from stack.control.decision import DecisionRecord
from stack.control.prefill_work import prefill_cost
from stack.control.state import Dpd
from stack.control.what_if import what_if
from stack.model.tier import Path
from tests.decisions import decision, disaggregated


def prefills(make: str, cached: range, count: int = 300) -> list[DecisionRecord]:
    """Prompts of 1,500 tokens. A prefill takes 12 ms and 0.1 ms for each token that is not cached, give or take a twentieth."""
    draw = random.Random(7)
    made = []
    for number in range(count):
        held = draw.choice(cached)
        took = (0.012 + 0.0001 * (1_500 - held)) * draw.gauss(1.0, 0.05)
        if make == Path.DPD:
            phases = {"prefill_queue": 0.0, "prefill": took}
            made.append(disaggregated(at=float(number), prompt_tokens=1_500, prefill_cached_tokens=held, phases=phases))
        else:
            phases = {"decode_queue": 0.0, "prefill": took}
            made.append(decision(at=float(number), prompt_tokens=1_500, cached_tokens=held, phases=phases))
    return made


def cold(number: int) -> DecisionRecord:
    return decision(at=float(number), prompt_tokens=1_500, cached_tokens=0)


def test_a_cold_prompt_costs_what_it_does_where_many_lengths_were_computed() -> None:
    cost = prefill_cost(prefills(Path.DPD, range(1_490)))
    assert cost.fixed.value == pytest.approx(0.012, rel=0.1)
    assert cost.per_token.value == pytest.approx(0.0001, rel=0.05)
    assert cost.mean([1_500]).value == pytest.approx(0.162, rel=0.02)
    assert cost.of(1_500) == pytest.approx(0.162, rel=0.02)


def test_prompts_that_were_mostly_cached_do_not_tell_what_a_cold_one_costs() -> None:
    warm = prefills(Path.DPD, range(1_470, 1_500))
    assert prefill_cost(warm).mean([1_500]).unknown == "samples at 1 to 30 do not tell of 1,500"
    answer = what_if("smollm2", [*warm, *map(cold, range(300))], Dpd(routing_threshold=512), 1, [512])
    (trial,) = answer.trials
    assert trial.prefill.utilisation is None
    assert trial.prefill.unknown == "what a prefill takes, by tokens computed: samples at 1 to 30 do not tell of 758"


def test_the_pool_is_as_busy_as_its_recorded_prefills_say() -> None:
    warm = prefills(Path.DPD, range(1_400, 1_500))
    (trial,) = what_if("smollm2", warm, Dpd(routing_threshold=512), 1, [512]).trials
    recorded = sum(record.phases["prefill"] for record in warm) / 299
    load = trial.prefill
    assert load.utilisation == pytest.approx(recorded)
    assert load.utilisation_low is not None
    assert load.utilisation_high is not None
    assert load.utilisation_low < recorded < load.utilisation_high


def test_decode_engines_are_asked_where_prefill_engines_tell_too_little_and_give_no_interval() -> None:
    direct = prefills(Path.DIRECT, range(1_490))
    few = prefills(Path.DPD, range(1_490), 23)
    assert prefill_cost([*few, *direct]).path is Path.DIRECT
    (trial,) = what_if("smollm2", [*few, *direct], Dpd(routing_threshold=512), 1, [512]).trials
    assert trial.prefill.utilisation is not None
    assert (trial.prefill.utilisation_low, trial.prefill.utilisation_high) == (None, None)
    assert prefill_cost(few).fixed.unknown == (
        "too few prefills tell their time: 23 on prefill engines and 0 on decode engines, of at least 30 on either"
    )
