"""What is added to a percentile."""

from stack.bench.tokens.figures import added


def test_what_is_added_is_the_difference_of_equal_percentiles_in_milliseconds() -> None:
    assert round(added([0.010, 0.030], [0.001, 0.002], 0.99), 6) == 28.0
