"""Somebody looks at every page, and changes something, in a real browser."""

from __future__ import annotations

import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from playwright.sync_api import Browser, expect

from tests.dashboard.chromium import MARKS, served, sound, visit, window
from tests.dashboard.fakes import NOWHERE, Steered, prometheus
from tests.dashboard.samples import BUSY
from tests.decisions import decision, disaggregated

pytestmark = MARKS


def test_an_operator_looks_at_every_page_and_changes_the_strategy(driven: Browser, steered: Steered) -> None:
    steered.report(decision(at=time.time()), disaggregated(at=time.time()))
    with prometheus(BUSY) as prometheus_url, served(prometheus_url, steered.url) as url, window(driven) as page:
        page.goto(url)
        expect(page.get_by_text("The fleet is well.")).to_be_visible()
        expect(page.get_by_text("Emulated fleet")).to_be_visible()
        expect(page.get_by_text("Where prompt tokens' KV came from")).to_be_visible()
        expect(page.get_by_text("2.00 /s")).to_be_visible()
        sound(page)

        visit(page, "Routing")
        expect(page.get_by_text("prefill-0 (1)")).to_be_visible()
        expect(page.get_by_text("decode-0 (2)")).to_be_visible()
        sound(page)

        visit(page, "Pools and engines")
        expect(page.get_by_text("3 engines.")).to_be_visible()
        expect(page.get_by_text("Control started, drained and ended nobody in this range.")).to_be_visible()
        sound(page)

        visit(page, "Control")
        expect(page.get_by_text("Applied: generation 1")).to_be_visible()
        page.get_by_label("Routing strategy").click()
        page.get_by_role("option", name="kv_aware").click()
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_text("This would become generation 2")).to_be_visible()
        page.get_by_label("Why").fill("seen in a browser")
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("Generation 2 is in force.")).to_be_visible()
        expect(page.get_by_text("Every live router applies generation 2")).to_be_visible()
        sound(page)

    audit = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (audit["generation"], audit["comment"]) == (2, "seen in a browser")


def test_what_is_picked_goes_along_from_page_to_page(driven: Browser, steered: Steered) -> None:
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url, window(driven) as page:
        picked = {"range": ["1h"], "model": ["smollm2"], "from": ["2024-03-05T18:00:00Z"], "until": ["2024-03-05T18:20:00Z"]}
        page.goto(f"{url}/overview?{urlencode(picked, doseq=True)}")
        expect(page.get_by_text("Held: Mar 05, 18:00 to 18:20")).to_be_visible()
        page.wait_for_timeout(6_000)  # a part of the page is refreshed meanwhile, after which Streamlit forgets
        for title in ("Cache", "Control"):
            visit(page, title)
            expect(page.get_by_text("Held: Mar 05, 18:00 to 18:20")).to_be_visible()
            expect(page.get_by_text("smollm2").first).to_be_visible()
            page.wait_for_function("location.search.includes('until=')")
            assert parse_qs(urlsplit(page.url).query) == picked
        page.get_by_role("link", name="What another threshold would do").click()
        expect(page.get_by_role("heading", name="DPD", exact=True)).to_be_visible()
        expect(page).to_have_url(re.compile("[?&]model=smollm2"))
        sound(page)


def test_the_form_keeps_its_edits_while_the_page_refreshes_itself(driven: Browser, steered: Steered) -> None:
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url, window(driven) as page:
        page.goto(f"{url}/control")
        threshold = page.get_by_label("Routing threshold")
        threshold.fill("2048")
        threshold.press("Tab")
        page.get_by_text("History: who changed what").click()
        steered.patch({"strategy": "session"})
        expect(page.get_by_text("Somebody changed the state")).to_be_visible()
        expect(page.get_by_text("Applied: generation 2")).to_be_visible()
        expect(threshold).to_have_value("2048")
        history = page.get_by_role("group").filter(has_text="History: who changed what").get_by_test_id("stExpanderDetails")
        expect(history).to_be_visible()
        expect(history).not_to_have_attribute("inert", "")  # as what is folded up is
        sound(page)


def test_pages_say_which_sources_are_away(driven: Browser) -> None:
    with served(NOWHERE, NOWHERE) as url, window(driven) as page:
        page.goto(url)
        expect(page.get_by_text("Prometheus at")).to_be_visible()
        expect(page.get_by_text("Control does not answer at")).to_be_visible()
        for title in ("Routing", "Control"):
            visit(page, title)
            expect(page.get_by_text("Control does not answer at")).to_be_visible()
            sound(page)
