"""What one request says is taken off its record, and nothing is made up."""

from __future__ import annotations

from typing import Any

import pytest

from stack.control.sample import Answer, Sample, samples
from tests.decisions import decision, disaggregated


def test_a_record_says_how_a_request_fared() -> None:
    record = disaggregated(
        generation=7, session="s", ttft_seconds=0.25, total_seconds=1.25, output_tokens=11, prefill_cached_tokens=512, streamed=True
    )
    assert Sample.of(record) == Sample(
        at=1_700_000_000.0,
        model="smollm2",
        generation=7,
        answer=Answer.GIVEN,
        path="dpd",
        prompt_tokens=1533,
        session="s",
        ttft=0.25,
        gap=0.1,
        cached_tokens=512,
        output_tokens=11,
    )


@pytest.mark.parametrize(
    ("status", "answer"),
    [(200, Answer.GIVEN), (400, Answer.REFUSED), (499, Answer.LEFT), (500, Answer.FAILED), (504, Answer.FAILED)],
)
def test_a_client_that_leaves_is_no_failure(status: int, answer: Answer) -> None:
    (sample,) = samples([decision(status=status)])
    assert sample.answer is answer


@pytest.mark.parametrize(
    "fields",
    [
        {"ttft_seconds": None},
        {"total_seconds": None},
        {"output_tokens": None},
        {"output_tokens": 1},
        {"status": 502},
    ],
)
def test_what_was_not_seen_has_no_gap(fields: dict[str, Any]) -> None:
    whole: dict[str, Any] = {"ttft_seconds": 0.25, "total_seconds": 1.25, "output_tokens": 11}
    (sample,) = samples([decision(**whole | fields)])
    assert sample.gap is None


def test_what_a_prefill_engine_hands_over_is_no_hit() -> None:
    direct, handed = samples([decision(cached_tokens=128), disaggregated(cached_tokens=1_500, prefill_cached_tokens=64)])
    assert (direct.cached_tokens, handed.cached_tokens) == (128, 64)
    (unknown,) = samples([disaggregated(cached_tokens=1_500)])
    assert unknown.cached_tokens is None


def test_what_another_gateway_carried_out_says_nothing() -> None:
    assert samples([decision(observed=True)]) == []
