import pytest

from stack.bench.exporter.report import Named, lines, report


def test_figures_are_medians_and_percentiles_of_what_was_measured() -> None:
    made = report(2, 90_000, [1.0, 2.0, 9.0], 140, [0.001] * 99 + [0.5], [100.0, 101.0, 110.0], 120.0, Named(100_000, 1_001))
    assert (made.cpu_seconds, made.cpu_seconds_highest, made.resident_mb) == (2.0, 9.0, 120.0)
    assert made.growth_ratio == pytest.approx(1.1)
    assert made.page_ms_p50 == pytest.approx(1.0)
    assert next(iter(lines(made))) == "2 targets of 90 kB each, 140 series shown"
    assert list(lines(made))[-1] == "models              100,000 that clients named make 1,001 values"
