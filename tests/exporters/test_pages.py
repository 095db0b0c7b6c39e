"""The pages, and for how long their readers wait."""

import math

import pytest
from starlette.requests import Request

from exporters.pages import landing, patience


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


async def test_the_landing_page_links_to_the_others() -> None:
    told = await landing(["/metrics", "/a&b"], "1.2.3")(Request({"type": "http", "headers": []}))
    assert (told.status_code, told.media_type) == (200, "text/html")
    assert bytes(told.body).decode() == (
        "<!doctype html><title>kvdeck exporter</title><h1>kvdeck exporter 1.2.3</h1>"
        '<ul><li><a href="/metrics">/metrics</a></li><li><a href="/a&amp;b">/a&amp;b</a></li></ul>\n'
    )
