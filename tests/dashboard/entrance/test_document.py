"""The document that every page begins as."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.entrance.document import document, routes


def test_it_is_streamlits_with_the_servers_address_told_before_any_script() -> None:
    text = document("/kvdeck/")
    told = '<script>window.__streamlit = {BACKEND_BASE_URL: new URL("/kvdeck/", window.location.href).href}</script>'
    assert told in text
    assert re.findall(r"<script[^>]*>", text)[0] == "<script>"
    assert text.index(told) < text.index("<script type=")
    assert text.replace(f"\n    {told}", "") == document("/").replace(f"\n    {told.replace('/kvdeck/', '/')}", "")


def test_every_page_begins_as_it_under_the_prefix_and_is_asked_for_anew_each_time() -> None:
    client = TestClient(Starlette(routes=routes(["", "cache"], "/kvdeck/")))
    first, page = client.get("/kvdeck/"), client.get("/kvdeck/cache?range=1h")
    assert first.text == page.text == document("/kvdeck/")
    assert page.headers["cache-control"] == "no-cache"
    assert client.get("/cache").status_code == 404
