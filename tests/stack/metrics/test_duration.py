"""Prometheus' durations."""

from stack.metrics.duration import seconds, windows, with_durations

QUERY = 'sum(rate(a{x="[7m] offset 7m"}[5m])) > 3 and max_over_time(kvdeck:b:rate5m[1h30m:1m] offset 1h) or c offset -30s'


def test_a_duration_of_several_parts_is_their_sum_and_none_is_0() -> None:
    assert [seconds(told) for told in ("1h30m", "250ms", "soon")] == [5400, 0.25, 0]


def test_windows_are_ranges_and_subqueries_and_nothing_that_strings_or_names_say() -> None:
    assert windows(QUERY) == ["5m", "1h30m"]


def test_every_range_and_offset_is_changed_and_nothing_else() -> None:
    assert with_durations(QUERY, lambda told: f"<{told}>") == (
        'sum(rate(a{x="[7m] offset 7m"}[<5m>])) > 3 and max_over_time(kvdeck:b:rate5m[<1h30m>:1m] offset <1h>) or c offset -<30s>'
    )
