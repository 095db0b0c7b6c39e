"""A bounded number of samples comes to figures that say how many they are made of."""

from __future__ import annotations

from dataclasses import replace

from stack.control.estimate import Estimate, quantile
from stack.control.sample import Answer, Sample
from stack.control.window import Window, figures

ONE = Sample(at=100.0, model="m", generation=1, answer=Answer.GIVEN, path="direct", prompt_tokens=1_000)


def test_the_first_stay_or_the_newest() -> None:
    first, newest = Window(2), Window(2, newest=True)
    for number in range(3):
        first.add(replace(ONE, at=float(number)))
        newest.add(replace(ONE, at=float(number)))
    assert [one.at for one in first] == [0.0, 1.0]
    assert [one.at for one in newest] == [1.0, 2.0]
    assert first.full
    assert len(newest) == 2


def test_figures_are_of_what_each_request_has() -> None:
    streamed = [replace(ONE, at=100.0 + n, ttft=0.01 * n, gap=0.02, cached_tokens=400, output_tokens=8) for n in range(1, 101)]
    failed = [replace(ONE, at=100.0 + n, answer=Answer.FAILED, path="dpd") for n in range(5, 100, 10)]
    left = [replace(ONE, at=100.0 + n, answer=Answer.LEFT) for n in range(0, 100, 5)]
    mine = [replace(ONE, at=100.0 + n, answer=Answer.REFUSED) for n in range(2, 100, 5)]
    came = figures([*streamed, *failed, *left, *mine])
    assert (came.requests, came.since, came.until) == (150, 100.0, 200.0)
    assert came.ttft.p50 == quantile([one.ttft or 0 for one in streamed], 0.5)
    assert came.ttft.p50.worth is not None  # they grew all the time
    assert came.ttft.p99 == Estimate(samples=100, unknown="too few samples: 100 of at least 368", least=368)
    assert came.gap.p50 == Estimate(samples=100, value=0.02, low=0.02, high=0.02)
    assert came.cached == Estimate(samples=100, value=0.4, low=0.4, high=0.4)
    assert (came.failed.value, came.failed.samples) == (10 / 110, 110)
    assert (came.left.value, came.left.samples) == (20 / 150, 150)
    assert (came.disaggregated.value, came.disaggregated.samples) == (10 / 150, 150)
    assert came.prompt_tokens.p50.value == 1_000
    assert came.output_tokens.p50.samples == 100


def test_nothing_known_is_no_zero() -> None:
    none = figures([])
    assert (none.requests, none.since, none.until) == (0, None, None)
    assert none.failed.value is None
    silent = figures([ONE] * 40)
    assert silent.cached == Estimate(samples=0, unknown="no answer says how much of its prompt was cached")
    assert silent.ttft.p50.unknown == "too few samples: 0 of at least 6"


def test_no_more_is_cached_than_there_is() -> None:
    assert figures([replace(ONE, cached_tokens=1_001)] * 30).cached.value == 1.0
