"""Somebody finds a decision in the list, has it explained while the list moves on, and shows a colleague."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from stack.control.decision import Candidate, Selection
from tests.dashboard.chromium import MARKS, drawn, served, sound, window
from tests.dashboard.fakes import Steered, prometheus
from tests.decisions import decision

pytestmark = MARKS

_ROW, _HEAD, _MARGIN = 35, 35, 52  # pixels of the table: its rows lie on a canvas


def pick(page: Page) -> None:
    """Click on the first row. The table is a canvas, and for a moment after it is drawn it hears no click."""
    listed, explained = page.get_by_test_id("stDataFrame").first, page.get_by_role("heading", name="Decision r-7")
    for _ in range(10):
        listed.click(position={"x": _MARGIN, "y": _HEAD + _ROW // 2})
        try:
            explained.wait_for(timeout=5_000)
        except TimeoutError:
            continue
        return
    pytest.fail("no decision is explained after a click on its row")


def test_a_decision_is_explained_and_stays_while_the_list_moves_on(driven: Browser, steered: Steered) -> None:
    scores = {"compute_s": 0.1, "ttft_s": 0.1}
    candidate = Candidate(engine="decode-0", cached_tokens=64, scores=scores)
    chosen = Selection(strategy="kv_aware", engine="decode-0", reason="most_cached", ranked_by="ttft_s", candidates=(candidate,))
    steered.report(decision(request_id="r-7", at=time.time(), decode=chosen, compared="181 < 512"))
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url:
        with window(driven) as page:
            page.goto(f"{url}/routing?routing-view=Decisions&range=1h")
            expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
            drawn(page)
            pick(page)
            expect(page.get_by_text("shorter than the threshold (181 < 512)")).to_be_visible()
            steered.report(*(decision(request_id=f"r-{number}", at=time.time()) for number in range(100, 250)))
            expect(page.get_by_text("100 requests, the oldest of")).to_be_visible()  # r-7 is listed no more
            expect(page.get_by_role("heading", name="Decision r-7")).to_be_visible()
            expect(page.get_by_text("Where its time went")).to_be_visible()
            sound(page)
            link = page.url
        assert "request=r-7" in link
        assert "range=1h" in link
        with window(driven, scheme="dark", width=420, height=900) as page:
            page.goto(link)
            expect(page.get_by_text("shorter than the threshold (181 < 512)")).to_be_visible()
            sound(page)
