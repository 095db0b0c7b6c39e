"""Percentiles, and what is added to them."""

from stack.bench.tokens.figures import added, at


def test_a_percentile_is_a_value_that_was_seen() -> None:
    assert [at([3, 1, 2], share) for share in (0.0, 0.5, 0.99)] == [1, 2, 3]


def test_what_is_added_is_the_difference_of_equal_percentiles_in_milliseconds() -> None:
    assert round(added([0.010, 0.030], [0.001, 0.002], 0.99), 6) == 28.0
