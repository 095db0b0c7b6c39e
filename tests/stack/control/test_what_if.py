"""Recorded requests are sent another way by another threshold, and the prefill pool pays for it."""

from __future__ import annotations

from typing import Any

import pytest

from stack.control.break_even import bands
from stack.control.decision import Candidate, DecisionRecord, Selection
from stack.control.prefill_load import MODEL, PrefillLoad
from stack.control.prefill_work import prefill_cost
from stack.control.prompt_lengths import LengthBin
from stack.control.state import Dpd
from stack.control.what_if import Trial, WhatIf, ladder, what_if
from stack.model.tier import Path
from tests.decisions import decision, disaggregated

DPD = Dpd(routing_threshold=1_000)


def short(number: int, **fields: Any) -> DecisionRecord:
    """100 tokens, half of them cached."""
    return decision(at=float(number), prompt_tokens=100, cached_tokens=50, **fields)


def long(number: int, **fields: Any) -> DecisionRecord:
    """2,000 tokens, of which the prefill engine computes 1,000 in half a second."""
    told: dict[str, Any] = {"prefill_cached_tokens": 1_000, "phases": {"prefill_queue": 0.1, "prefill": 0.5}, "ttft_seconds": 0.7}
    return disaggregated(at=float(number), prompt_tokens=2_000, **told | fields)


RECORDS = [make(number) for number in range(40) for make in (short, long)]  # over 39 s


def tried(*thresholds: int, records: list[DecisionRecord] = RECORDS, engines: int | None = 1, dpd: Dpd = DPD) -> WhatIf:
    return what_if("smollm2", records, dpd, engines, thresholds)


def test_the_threshold_in_force_changes_nothing() -> None:
    (trial,) = tried(1_000).trials
    assert (trial.disaggregated, trial.share, trial.to_prefill, trial.to_direct, trial.unsure) == (40, 0.5, 0, 0, 0)
    assert trial.token_share == pytest.approx(80_000 / 84_000)


def test_a_lower_one_sends_more_to_the_prefill_pool_and_a_higher_one_less() -> None:
    low, high = tried(0, 2_001).trials
    assert (low.disaggregated, low.to_prefill, low.to_direct) == (80, 40, 0)
    assert high == Trial(
        threshold=2_001,
        disaggregated=0,
        share=0.0,
        token_share=0.0,
        to_prefill=0,
        to_direct=40,
        unsure=0,
        prefill=PrefillLoad(per_second=0.0, utilisation=0.0, wait_seconds=0.0, waiting=0.0),
    )


def test_the_pools_load_is_what_comes_times_what_a_prefill_takes() -> None:
    answer = tried(1_000)
    assert answer.measured_on is Path.DPD
    load = answer.trials[0].prefill
    assert load.per_second == pytest.approx(40 / 39)
    busy = 0.5 * 40 / 39
    assert load.utilisation == pytest.approx(busy)
    assert load.wait_seconds == pytest.approx(0.5 * busy / (1 - busy) / 2)
    assert load.utilisation_low == pytest.approx(busy)
    assert load.utilisation_high == pytest.approx(busy)
    assert not load.saturated


def test_more_than_the_pool_can_compute_is_saturated() -> None:
    slow = [long(number, phases={"prefill": 2.0}) for number in range(40)]
    load = tried(0, records=slow).trials[0].prefill
    assert (load.saturated, load.wait_seconds, load.waiting) == (True, None, None)
    assert load.utilisation == pytest.approx(2 * 40 / 39)
    assert not tried(0, records=slow, engines=4).trials[0].prefill.saturated


@pytest.mark.parametrize(
    ("records", "engines", "unknown"),
    [
        (RECORDS, None, "how many prefill engines there are is not known"),
        (RECORDS, 0, "no prefill engine is ready"),
        (
            RECORDS[:20],
            1,
            "what a prefill takes, by tokens computed: too few prefills tell their time: "
            "10 on prefill engines and 0 on decode engines, of at least 30 on either",
        ),
        ([long(1)] * 40, 1, "all requests came at one moment"),
    ],
)
def test_what_is_not_known_is_said(records: list[DecisionRecord], engines: int | None, unknown: str) -> None:
    load = tried(0, records=records, engines=engines).trials[0].prefill
    assert (load.unknown, load.utilisation, load.wait_seconds) == (unknown, None, None)


def test_without_prefill_legs_decode_engines_are_the_measure() -> None:
    direct = [short(number, phases={"prefill": 0.1, "decode_queue": 0.0}) for number in range(40)]
    answer = tried(0, records=direct)
    assert answer.measured_on is Path.DIRECT
    load = answer.trials[0].prefill
    assert load.utilisation == pytest.approx(0.1 * 40 / 39)
    assert (load.utilisation_low, load.utilisation_high) == (None, None)
    assert answer.notes[0] == MODEL
    assert answer.notes[1].startswith("What a prefill takes was measured on decode engines")
    assert prefill_cost([short(number, phases={"prefill": 0.1}) for number in range(40)]).queued


def test_what_was_decided_before_the_last_change_is_named_where_the_present_row_has_it() -> None:
    said = "40 of the requests change path by the threshold in force as well: they were decided before it was."
    assert tried(0, dpd=Dpd(routing_threshold=5_000)).notes[0] == said
    assert said not in (*tried(0).notes, *tried(0, dpd=Dpd(routing_threshold=5_000, enabled=False)).notes)


def held(cached: int | None, omitted: int = 0) -> DecisionRecord:
    candidates = (Candidate(engine="decode-0", cached_tokens=cached), Candidate(engine="decode-1"))
    chosen = Selection(strategy="kv_aware", engine="decode-0", reason="r", candidates=candidates, omitted=omitted)
    return short(1, decode=chosen)


def test_a_prompt_that_a_decode_engine_holds_goes_direct_whatever_the_threshold() -> None:
    dpd = Dpd(routing_threshold=1_000, min_uncached_tokens=20)
    (trial,) = tried(0, records=[held(90), held(80), held(None), held(10, omitted=3)], dpd=dpd).trials
    assert (trial.disaggregated, trial.unsure) == (3, 1)
    (off,) = tried(0, records=[held(90)]).trials
    assert (off.disaggregated, off.unsure) == (1, 0)


def test_fewer_uncached_tokens_can_be_tried_beside_what_is_in_force() -> None:
    answer = what_if("smollm2", [held(90), held(10)], Dpd(routing_threshold=100), 1, [100], 20)
    assert (answer.dpd.min_uncached_tokens, answer.min_uncached_tokens) == (0, 20)
    assert answer.present is not None
    assert (answer.present.disaggregated, [trial.disaggregated for trial in answer.trials]) == (2, [1])
    assert answer.lengths == (LengthBin(least=100, below=108, requests=2, held=1, unsure=0),)


def test_what_is_in_force_is_tried_whatever_else_is() -> None:
    assert tried(0).present == tried(1_000).trials[0]
    assert tried(0, records=[decision(model="other")]).present is None


def test_lengths_are_told_cut_where_a_threshold_lies() -> None:
    answer = tried(1_800, 2_001)
    assert [(one.least, one.below, one.requests) for one in answer.lengths] == [(91, 108, 40), (1_800, 2_001, 40)]


def test_what_did_not_go_as_planned_counts_as_planned() -> None:
    fell_back = decision(path_reason="at_threshold", prompt_tokens=1_533, fallbacks=("prefill_died",))
    missing = decision(path_reason="no_ready_prefill_engine", prompt_tokens=2_000)
    (trial,) = tried(2_001, records=[fell_back, missing, decision(path_reason="pass_through", prompt_tokens=5_000)]).trials
    assert (trial.disaggregated, trial.to_direct) == (0, 2)


def test_the_ladder_holds_always_what_is_in_force_and_where_shares_of_prompts_are_reached() -> None:
    assert ladder(range(1, 101), 1_000) == (0, 50, 75, 90, 95, 99, 500, 1_000, 2_000)
    assert ladder([], 1_000) == (0, 500, 1_000, 2_000)
    assert [trial.threshold for trial in tried().trials] == [0, 100, 500, 1_000, 2_000]


def test_nothing_recorded_is_no_trial() -> None:
    answer = tried(0, records=[decision(model="other")])
    assert (answer.requests, answer.since, answer.trials, answer.bands) == (0, None, (), ())


def test_paths_are_compared_where_both_were_seen_for_like_prompts() -> None:
    direct = [decision(prompt_tokens=1_500, ttft_seconds=1.0 + n * 0.01) for n in range(10)]
    handed = [disaggregated(prompt_tokens=1_100, ttft_seconds=0.5 + n * 0.01) for n in range(10)]
    alone = [decision(prompt_tokens=30, ttft_seconds=0.1)]
    unlike = [decision(prompt_tokens=1_500, ttft_seconds=0.0, path_reason="already_cached")]
    (band,) = bands([*direct, *handed, *alone, *unlike])
    assert (band.least, band.direct.value, band.disaggregated.value) == (1_024, 1.04, 0.54)
    assert band.difference.high is not None
    assert band.difference.high < 0
    assert band.direct_computed.unknown == "too few samples: 0 of at least 6"
    told = [decision(prompt_tokens=1_500, ttft_seconds=1.0, cached_tokens=1_000)] * 6
    assert bands([*told, *handed])[0].direct_computed.value == 500
    (few,) = bands([*direct[:2], *handed])
    assert few.difference.unknown == "direct: too few samples: 2 of at least 6"
