"""Whether a bigger L1 would help, by what it told."""

import pytest

from dashboard.caching.judgement import Answer, Evidence, Judgement, judge, overall

MISSES = Evidence(evicted=900.0, sampled=100.0, again=30.0, lived=100.0, gap=50.0)
CASES = {
    "evicts what is asked for again soon": (MISSES, Answer.YES),
    "misses what is asked for much later": (Evidence(evicted=900.0, sampled=100.0, again=30.0, lived=10.0, gap=900.0), Answer.NO),
    "evicts what hardly anybody asks for": (Evidence(evicted=900.0, sampled=100.0, again=1.0, lived=100.0, gap=9.0), Answer.NO),
    "evicts what nobody ever asked for": (Evidence(evicted=900.0, sampled=100.0), Answer.NO),
    "evicts nothing": (Evidence(evicted=0.0, used=0.4), Answer.NO),
    "has room and tells no eviction": (Evidence(used=0.4), Answer.NO),
    "is full and tells no eviction": (Evidence(used=0.95), Answer.UNKNOWN),
    "tells nothing but its size": (Evidence(capacity=1.0), Answer.UNKNOWN),
    "does not follow what it evicts": (Evidence(evicted=900.0), Answer.UNKNOWN),
    "followed too few": (Evidence(evicted=900.0, sampled=5.0, again=5.0, lived=1.0, gap=1.0), Answer.UNKNOWN),
    "misses many at once, though few of all": (Evidence(evicted=9e4, sampled=9e4, again=200.0, lived=99.0, gap=30.0), Answer.YES),
    "misses some, nobody says when": (Evidence(evicted=900.0, sampled=100.0, again=30.0), Answer.YES),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_l1_that(case: str) -> None:
    told, answer = CASES[case]
    assert judge(told).answer is answer


def test_the_size_that_would_have_kept_it_is_told() -> None:
    why = "30 % of what it evicted was asked for again, 50.0 s later on average: about 1.5 times its size would have kept it"
    assert judge(MISSES) == Judgement(Answer.YES, why)
    assert MISSES.growth == 1.5


def test_one_yes_is_a_yes_and_a_no_takes_all() -> None:
    yes, no, unknown = (Judgement(answer, "") for answer in Answer)
    assert overall([no, yes, unknown]) is Answer.YES
    assert overall([no, unknown]) is Answer.UNKNOWN
    assert overall([no, no]) is Answer.NO
    assert overall([]) is Answer.UNKNOWN
