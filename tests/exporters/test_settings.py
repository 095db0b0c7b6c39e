"""What the exporter is told to do."""

from dataclasses import replace

import exporters.collectors  # registers every collector  # noqa: F401
from exporters.settings import Settings

SETTINGS = Settings("127.0.0.1", 0, (), {}, 4.0)


def test_a_scrape_for_the_cache_is_over_before_the_next_is_due() -> None:
    assert [replace(SETTINGS, cache_seconds=interval).scrape_seconds for interval in (None, 1.0, 15.0)] == [4.0, 1.0, 4.0]


def test_collectors_that_nobody_chose_are_those_that_run_by_default() -> None:
    chosen = replace(SETTINGS, collectors=frozenset({"fabric"}))
    assert [(one.runs("engines"), one.runs("fabric")) for one in (SETTINGS, chosen)] == [(True, False), (False, True)]
