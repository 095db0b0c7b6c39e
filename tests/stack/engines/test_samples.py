import math

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
