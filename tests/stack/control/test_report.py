"""Two sides are told apart when their intervals say so, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stack.control.report import Quantity, Verdict, doubts, rows, side
from stack.control.sample import Answer, Sample
from stack.control.window import figures
from tests.stack.control.traffic import requests


def verdicts(before: list[Sample], after: list[Sample]) -> dict[Quantity, Verdict]:
    return {row.quantity: row.verdict for row in rows(figures(before), figures(after))}


BEFORE = list(requests(400))


def test_equal_sides_are_not_told_apart() -> None:
    told = verdicts(BEFORE, list(requests(400, seed=2)))
    assert set(told.values()) == {Verdict.NOT_TOLD_APART}
    assert list(told) == list(Quantity)


def test_less_time_and_more_cached_is_better() -> None:
    faster = [replace(one, cached_tokens=one.prompt_tokens) for one in requests(400, ttft=0.1, seed=2)]
    told = verdicts(BEFORE, faster)
    assert {q for q, verdict in told.items() if verdict is Verdict.BETTER} == {
        Quantity.TTFT_P50,
        Quantity.TTFT_P95,
        Quantity.TTFT_P99,
        Quantity.CACHED,
    }


def test_more_failures_are_worse() -> None:
    failing = [replace(one, answer=Answer.FAILED) if number % 5 == 0 else one for number, one in enumerate(BEFORE)]
    assert verdicts(BEFORE, failing)[Quantity.FAILED] is Verdict.WORSE


def test_the_way_requests_go_is_neither_good_nor_bad() -> None:
    handed = [replace(one, path="dpd", cached_tokens=None) for one in BEFORE]
    told = verdicts(BEFORE, handed)
    assert told[Quantity.DISAGGREGATED] is Verdict.CHANGED
    assert told[Quantity.CACHED] is Verdict.UNKNOWN


def test_too_few_are_no_verdict() -> None:
    told = verdicts(BEFORE, list(requests(20, ttft=10)))
    assert (told[Quantity.TTFT_P50], told[Quantity.TTFT_P95]) == (Verdict.WORSE, Verdict.UNKNOWN)
    (p95,) = [row for row in rows(figures(BEFORE), figures(BEFORE[:20])) if row.quantity is Quantity.TTFT_P95]
    assert p95.difference.unknown == "after: too few samples: 20 of at least 72"


def test_other_prompts_make_a_comparison_doubtful() -> None:
    assert list(doubts(figures(BEFORE), figures(list(requests(400, seed=2))))) == []
    assert list(doubts(figures(BEFORE), figures([]))) == []
    (doubt,) = doubts(figures(BEFORE), figures(list(requests(400, prompt=3_000))))
    assert doubt.startswith("The comparison is doubtful: prompts differ, the median one had ")


def test_a_side_says_how_much_came() -> None:
    assert side(figures(BEFORE)).per_second == pytest.approx(2.0)
    assert side(figures(BEFORE[:1])).per_second is None
    assert side(figures([])).per_second is None
