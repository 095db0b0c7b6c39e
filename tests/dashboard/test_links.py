"""Links from page to page."""

from __future__ import annotations

from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest


def _page() -> None:
    from dashboard import links

    links.page_link("alerts", "3 alerts", {"alert": "KvdeckEngineDown", "model": "other", "engines-engine": "decode-0"})


def test_a_link_keeps_what_the_toolbar_shows_and_nothing_else_of_its_page() -> None:
    page = AppTest.from_function(_page, default_timeout=60)
    page.query_params["range"], page.query_params["model"], page.query_params["routing-path"] = "1d", "a model", "dpd"
    page.run()
    assert not page.exception
    (link,) = page.get("page_link")
    assert (link.proto.page, link.proto.label) == ("alerts", "3 alerts")
    chosen = {"range": ["1d"], "to-model": ["other"], "to-engines-engine": ["decode-0"]}
    assert parse_qs(link.proto.query_string) == chosen | {"alert": ["KvdeckEngineDown"]}
