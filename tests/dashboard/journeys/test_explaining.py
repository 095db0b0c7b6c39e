"""Somebody finds a decision in the list, has it explained while the list moves on, and shows a colleague."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from dashboard import palette
from stack.control.decision import Candidate, Selection
from tests.dashboard.chromium import MARKS, Scheme, drawn, served, sound, window
from tests.dashboard.fakes import Steered, prometheus
from tests.decisions import decision, disaggregated

pytestmark = MARKS

_WINDOWS: tuple[tuple[int, Scheme], ...] = ((1280, "light"), (420, "dark"))
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
            expect(page.get_by_text("The newest 100 requests of this range, from")).to_be_visible()  # r-7 is listed no more
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


def _candidates(pool: str, count: int) -> Selection:
    """As many as a pool has, in a large fleet's words."""
    parts = {"overhead_s": 0.01, "queue_s": 0.03, "compute_s": 0.12, "load_s": 0.02, "ttft_s": 0.18, "weighed_s": 0.19}
    held = {"engine_tokens": 200.0, "l1_tokens": 64.0, "l2_tokens": 32.0, "capacity": 16.0}
    names = [f"{pool}-0"] if count == 1 else [f"vllm-llama-3-70b-{pool}-7f9c4d5b6-x{number:02d}zq" for number in range(count)]
    told = [Candidate(engine=name, in_flight=2, cached_tokens=296, scores={**parts, **held}) for name in names]
    told[1:2] = [Candidate(engine=name, cached_tokens=16, doubts=("l2: evictions",)) for name in names[1:2]]
    return Selection(strategy="kv_aware", engine=names[0], reason="most_cached", ranked_by="weighed_s", candidates=tuple(told))


@pytest.mark.parametrize("count", [1, 2, 16])
def test_candidates_are_drawn_whole_however_many_they_are(driven: Browser, steered: Steered, count: int) -> None:
    prefill, decode = _candidates("prefill", count), _candidates("decode", count)
    steered.report(
        disaggregated(
            request_id="r-7", at=time.time(), prefill=prefill, decode=decode, prefill_engine=prefill.engine, engine=decode.engine,
            phases=dict.fromkeys(palette.PHASES, 0.25),
        )
    )  # fmt: skip
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url:
        for width, scheme in _WINDOWS:
            with window(driven, width=width, height=900, scheme=scheme) as page:
                for view in ("Flow", "Decisions"):
                    page.goto(f"{url}/routing?routing-view={view}&routing-request=r-7")
                    expect(page.locator(".js-plotly-plot").last).to_be_visible()
                    drawn(page)
                    sound(page)
