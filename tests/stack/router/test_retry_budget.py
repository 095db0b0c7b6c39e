"""Retries are paid for by requests."""

from hypothesis import given
from hypothesis import strategies as st

from stack.router.retry_budget import RetryBudget


def test_a_burst_has_what_was_saved_and_no_more() -> None:
    budget = RetryBudget(share=0.1, most=3.0)
    assert [budget.spend() for _ in range(4)] == [True, True, True, False]


def test_eight_requests_pay_for_one_retry_at_a_share_of_an_eighth() -> None:
    budget = RetryBudget(share=0.125, most=1.0)
    assert budget.spend()
    spent = 0
    for _ in range(80):
        budget.earn()
        spent += budget.spend()
    assert spent == 10


def test_a_quiet_time_saves_no_more_than_the_bucket_holds() -> None:
    budget = RetryBudget(share=0.5, most=2.0)
    for _ in range(100):
        budget.earn()
    assert [budget.spend() for _ in range(3)] == [True, True, False]


@given(st.lists(st.booleans(), max_size=400), st.floats(0.01, 0.1), st.integers(1, 10))
def test_whatever_fails_retries_never_cost_more_than_their_share(failed: list[bool], share: float, saved: int) -> None:
    budget, retries = RetryBudget(share, saved), 0
    for came, fails in enumerate(failed, start=1):
        budget.earn()
        if fails and budget.spend():
            retries += 1
        assert retries <= saved + came * share + 1e-6
