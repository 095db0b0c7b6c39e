"""The pages, and for how long their readers wait."""

import math

import pytest
from starlette.requests import Request

from exporters.pages import patience


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("10", 9.5),
        ("2.000000", 1.5),
        ("0.6", 0.5),
        ("0", math.inf),
        ("-1", math.inf),
        ("soon", math.inf),
        ("nan", math.inf),
        (None, math.inf),
    ],
)
def test_prometheus_says_how_long_it_waits(told: str | None, seconds: float) -> None:
    headers = [] if told is None else [(b"x-prometheus-scrape-timeout-seconds", told.encode())]
    assert patience(Request({"type": "http", "headers": headers})) == seconds
