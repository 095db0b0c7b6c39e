"""Somebody tries a threshold that a link names and applies it with two clicks, in a real browser."""

from __future__ import annotations

import time

import httpx
from playwright.sync_api import Browser, expect

from tests.dashboard.chromium import MARKS, drawn, served, sound, window
from tests.dashboard.fakes import Steered, prometheus
from tests.decisions import decision, disaggregated

pytestmark = MARKS


def test_a_threshold_from_a_link_is_tried_and_applied(driven: Browser, steered: Steered) -> None:
    now = time.time()
    steered.report(decision(at=now - 2), disaggregated(at=now - 1), disaggregated(at=now, prompt_tokens=2_200))
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url, window(driven) as page:
        page.goto(f"{url}/dpd?dpd-part=Threshold&dpd-threshold=2048")
        expect(page.get_by_text("In force: prompts of at least 512 tokens")).to_be_visible()
        expect(page.get_by_text("now 67 %")).to_be_visible()
        expect(page.get_by_text("33 %").first).to_be_visible()
        expect(page.get_by_text("tried 2,048")).to_be_visible()
        drawn(page)
        sound(page)

        page.get_by_role("button", name="Preview this threshold").click()
        expect(page.get_by_text("This would become generation 2")).to_be_visible()
        page.get_by_label("Why").fill("long prompts wait")
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("Generation 2 is in force.")).to_be_visible()
        expect(page.get_by_text("In force: prompts of at least 2,048 tokens")).to_be_visible()
        expect(page.get_by_text("now 2,048")).to_be_visible()
        sound(page)

    audit = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (audit["generation"], audit["comment"]) == (2, "long prompts wait")
