"""Medians and ratios; what was not measured stays unknown."""

from stack.bench.router.figures import Round, Streams, difference, middle, row
from stack.bench.router.subjects import Subject

OURS = Subject("ours", "kvdeck", "1", (), 7000)


def _rounds(*rates: float | None) -> list[Round]:
    return [Round(requests_per_second=rate) for rate in rates]


def test_the_ratio_is_the_median_of_the_ratios_within_rounds() -> None:
    made = row(OURS, _rounds(100, 300, 90), _rounds(50, 100, 90))
    assert (made.requests_per_second, made.ratio_to_cache_aware) == (100, 2.0)


def test_less_cpu_time_is_a_better_ratio() -> None:
    made = row(OURS, [Round(cpu_us_per_request=50)], [Round(cpu_us_per_request=100)])
    assert made.cpu_ratio_to_cache_aware == 2.0


def test_a_round_without_a_figure_counts_for_nothing() -> None:
    made = row(OURS, [*_rounds(100, None), Round(requests_per_second=80, errors=3)], _rounds(50, 1, None))
    assert (made.requests_per_second, made.ratio_to_cache_aware, made.errors) == (90, 2.0, 3)


def test_without_the_yardstick_the_ratio_is_unknown() -> None:
    assert row(OURS, _rounds(100), None).ratio_to_cache_aware is None
    assert row(OURS, _rounds(100), _rounds(None)).ratio_to_cache_aware is None


def test_nothing_has_no_middle_and_unknown_no_difference() -> None:
    assert middle([]) is None
    assert middle([None, 3.0]) == 3.0
    assert difference(None, 1.0) is None
    assert difference(3.0, 1.0) == 2.0


def test_what_a_router_adds_between_tokens_is_beyond_the_direct_gaps() -> None:
    streams = Streams(
        streams=2,
        tokens_per_second_each=50,
        direct_itl_p50_ms=20,
        direct_itl_p99_ms=None,
        router_itl_p50_ms=20.5,
        router_itl_p99_ms=25,
        router_cpu_share=0.3,
        errors=0,
    )
    assert (streams.added_p50_ms, streams.added_p99_ms) == (0.5, None)
