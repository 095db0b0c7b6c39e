import math

import pytest

from stack.engines.samples import Histogram, Sample, Samples


def samples(*lines: tuple[str, dict[str, str], float]) -> Samples:
    return Samples(Sample(*line) for line in lines)


def test_an_absent_name_is_none_and_zero_is_zero() -> None:
    read = samples(("a", {}, 0.0))
    assert (read.total("a"), read.total("b"), read.mean("b"), read.by("x", "b")) == (0.0, None, None, {})


def test_ranks_are_summed_and_ratios_averaged() -> None:
    read = samples(("a", {"engine": "0"}, 1.0), ("a", {"engine": "1"}, 3.0))
    assert (read.total("a"), read.mean("a")) == (4.0, 2.0)


def test_the_first_alias_that_is_present_counts() -> None:
    read = samples(("old", {}, 1.0), ("new", {}, 2.0))
    assert (read.total("new", "old"), read.total("newest", "old")) == (2.0, 1.0)


def test_what_is_no_number_is_absent() -> None:
    assert samples(("a", {}, math.nan), ("a", {}, math.inf)).total("a") is None


def test_a_histogram_is_summed_by_bound_and_ordered() -> None:
    read = samples(
        ("h_bucket", {"le": "+Inf", "engine": "0"}, 3.0),
        ("h_bucket", {"le": "0.5", "engine": "0"}, 1.0),
        ("h_bucket", {"le": "0.5", "engine": "1"}, 1.0),
        ("h_bucket", {"le": "+Inf", "engine": "1"}, 1.0),
        ("h_sum", {"engine": "0"}, 2.5),
        ("h_sum", {"engine": "1"}, 0.5),
        ("h_count", {"engine": "0"}, 3.0),
        ("h_count", {"engine": "1"}, 1.0),
    )
    assert read.histogram("h") == Histogram((("0.5", 2.0), ("+Inf", 4.0)), 3.0, 4.0)
    assert read.histogram("g") is None


def test_a_histogram_in_another_unit_keeps_its_counts() -> None:
    assert Histogram((("250", 1.0), ("+Inf", 2.0)), 900.0, 2.0).scaled(0.001) == Histogram((("0.25", 1.0), ("+Inf", 2.0)), 0.9, 2.0)


def test_a_thinned_histogram_keeps_its_ends_and_its_totals() -> None:
    whole = Histogram((*((str(bound), float(bound)) for bound in range(1, 22)), ("+Inf", 30.0)), 5.0, 30.0)
    few = whole.thinned(4)
    assert few == Histogram((("1", 1.0), ("8", 8.0), ("15", 15.0), ("+Inf", 30.0)), 5.0, 30.0)
    assert whole.thinned(22) is whole


@pytest.mark.parametrize("unknown", [math.nan, math.inf, -1.0])
def test_a_figure_over_ranks_is_absent_where_one_has_no_number(unknown: float) -> None:
    read = samples(("a", {"engine": "0", "x": "1"}, 5.0), ("a", {"engine": "1", "x": "2"}, unknown))
    assert (read.total("a"), read.mean("a"), read.by("x", "a"), read.by("y", "a")) == (None, None, {"1": 5.0}, {})


def test_a_sum_that_is_no_number_is_absent() -> None:
    assert samples(("a", {"engine": "0"}, 1e308), ("a", {"engine": "1"}, 1e308)).total("a") is None


def test_of_a_series_that_is_told_twice_the_first_counts() -> None:
    read = samples(("a", {"x": "1", "y": "2"}, 5.0), ("a", {"y": "2", "x": "1"}, 7.0))
    assert (read.total("a"), len(list(read))) == (5.0, 1)


def histogram(*buckets: tuple[str | None, float], count: float = 6.0) -> Histogram | None:
    told = [("h_bucket", {} if le is None else {"le": le}, below) for le, below in buckets]
    return samples(*told, ("h_sum", {}, 1.0), ("h_count", {}, count)).histogram("h")


@pytest.mark.parametrize(
    "buckets",
    [
        (("0.1", 5.0), ("0.5", 3.0), ("+Inf", 6.0)),
        (("0.1", 5.0), ("0.5", 6.0)),
        (("0.1", 5.0), ("+Inf", 9.0)),
        (("0.1", 5.0), ("+Inf", math.nan)),
        ((None, 5.0), ("+Inf", 6.0)),
        (("abc", 5.0), ("+Inf", 6.0)),
        (("NaN", 5.0), ("+Inf", 6.0)),
        (("0.1", -1.0), ("+Inf", 6.0)),
    ],
    ids=["falls", "ends", "more than its count", "no number", "no bound", "bound is a word", "bound is NaN", "below zero"],
)
def test_a_histogram_that_contradicts_itself_has_a_sum_and_a_count(buckets: tuple[tuple[str | None, float], ...]) -> None:
    assert histogram(*buckets) == Histogram((), 1.0, 6.0)


def test_ranks_with_other_buckets_are_summed_over_those_that_all_have() -> None:
    read = samples(
        *(("h_bucket", {"engine": "0", "le": le}, below) for le, below in (("0.1", 1.0), ("1", 2.0), ("+Inf", 3.0))),
        *(("h_bucket", {"engine": "1", "le": le}, below) for le, below in (("1.0", 2.0), ("+Inf", 3.0))),
        *((part, {"engine": rank}, value) for part, value in (("h_sum", 1.0), ("h_count", 3.0)) for rank in "01"),
    )
    assert read.histogram("h") == Histogram((("1", 4.0), ("+Inf", 6.0)), 2.0, 6.0)


def test_a_share_of_the_observations_is_below_a_bucket_and_of_none_below_nothing() -> None:
    told = Histogram((("0.5", 5.0), ("1", 9.0), ("+Inf", 10.0)), 6.0, 10.0)
    assert [told.bound(share) for share in (0.5, 0.51, 0.9, 0.99)] == [0.5, 1.0, 1.0, float("inf")]
    assert Histogram((("1", 0.0), ("+Inf", 0.0)), 0.0, 0.0).bound(0.99) is None
