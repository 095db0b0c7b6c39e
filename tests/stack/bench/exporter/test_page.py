"""What is counted on the exporter's page."""

from pathlib import Path

from stack.bench.exporter import page

ONE = b"""# HELP kvdeck_scrape_collector_success 1 when it was read
# TYPE kvdeck_scrape_collector_success gauge
kvdeck_scrape_collector_success{collector="engines",target="a"} 1.0
kvdeck_scrape_collector_success{collector="engines",target="b"} 0.0
kvdeck_scrape_collector_success{collector="lmcache",target="c"} 1.0
kvdeck_cache_hit_tokens_total{model_name="m",replica="c",tier="l1"} 1.0
kvdeck_cache_hit_tokens_total{model_name="other",replica="c",tier="l1"} 1.0
kvdeck_cache_lookup_tokens_total{model_name="m",replica="c",tier="l1"} 1.0
"""


def test_a_target_that_failed_is_not_counted_as_read() -> None:
    assert (page.series(ONE), page.models(ONE)) == (6, 2)
    assert page.fault(ONE, 2) is None
    assert page.fault(ONE, 3) == "the exporter read 2 of 3 targets"
    assert page.fault(ONE, 1) == "the exporter read 2 of 1 targets"


def test_a_whole_page_is_counted() -> None:
    whole = (Path(__file__).parents[3] / "exporters" / "expected" / "dpd-with-lmcache.txt").read_bytes()
    assert page.fault(whole, 3) is None
    assert page.series(whole) == sum(not line.startswith(b"#") for line in whole.splitlines())
