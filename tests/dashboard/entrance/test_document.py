"""The document that every page begins as."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.entrance.document import FIRST, document, routes

SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"
PRELOADED = re.compile(r'<link rel="modulepreload" crossorigin href="\./static/js/([^"]+)">')


def test_it_is_streamlits_with_the_servers_address_told_before_any_script() -> None:
    text = document("/kvdeck/")
    told = '<script>window.__streamlit = {BACKEND_BASE_URL: new URL("/kvdeck/", window.location.href).href}</script>'
    assert told in text
    assert re.findall(r"<script[^>]*>", text)[0] == "<script>"
    assert text.index(told) < text.index("<script type=")
    assert text.replace(f"\n    {told}", "") == document("/").replace(f"\n    {told.replace('/kvdeck/', '/')}", "")


def test_what_the_top_of_a_page_needs_is_fetched_at_once_and_nothing_twice() -> None:
    fetched = PRELOADED.findall(document("/"))
    assert len(fetched) == len(set(fetched))
    assert {name.partition(".")[0] for name in fetched} >= set(FIRST)
    for name in fetched:
        imported = re.findall(r'(?:from|import)"\./([^"]+\.js)"', (SCRIPTS / name).read_text(encoding="utf-8"))
        entry = re.findall(r'<script type="module" crossorigin src="\./static/js/([^"]+)"', document("/"))
        assert set(imported) <= {*fetched, *entry}, name


def test_charts_are_not_fetched_before_what_is_shown_first() -> None:
    assert not [name for name in PRELOADED.findall(document("/")) if name.startswith(("PlotlyChart", "DataFrame"))]


def test_a_document_of_another_form_is_served_as_it_is_and_that_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "index.html").write_text("<html><body></body></html>")
    assert document("/", tmp_path) == "<html><body></body></html>"
    assert "pages take longer to open" in caplog.text


def test_a_release_without_those_scripts_only_has_its_address_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html><head><title>Streamlit</title></head></html>")
    assert PRELOADED.findall(document("/", tmp_path)) == []
    assert "BACKEND_BASE_URL" in document("/", tmp_path)


def test_every_page_begins_as_it_under_the_prefix_and_is_asked_for_anew_each_time() -> None:
    client = TestClient(Starlette(routes=routes(["", "cache"], "/kvdeck/")))
    first, page = client.get("/kvdeck/"), client.get("/kvdeck/cache?range=1h")
    assert first.text == page.text == document("/kvdeck/")
    assert page.headers["cache-control"] == "no-cache"
    assert client.get("/cache").status_code == 404
