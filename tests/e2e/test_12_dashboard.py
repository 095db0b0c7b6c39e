"""An operator's journeys through the dashboard of a whole stack, and what every page looks like; in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from dashboard.pages import PAGES
from stack.metrics import catalog
from tests.dashboard import chromium
from tests.dashboard.chromium import MARKS, Scheme, drawn, sound, window
from tests.dashboard.screens import SIZES, Size, take
from tests.e2e.deck import ROOT, Deck, wait_for
from tests.e2e.emulated_deck import EmulatedDeck, emulated_deck

FIRST_PORT = 22300
SCREENS = ROOT / ".kvdeck" / "screens"  # kept, to be looked at
SCHEMES: tuple[Scheme, ...] = ("light", "dark")

pytestmark = [pytest.mark.e2e, *MARKS]


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path_factory.mktemp("deck"), FIRST_PORT, traffic=True) as up:
        wait_for(lambda: up.total(catalog.ROUTER_REQUESTS) > 20, 120, "requests are answered")
        yield up


@pytest.fixture(scope="module")
def driven() -> Iterator[Browser]:
    with chromium.browser() as started:
        yield started


@pytest.fixture
def url(deck: Deck) -> str:
    return deck.url(deck.ports.dashboard)


def choose(page: Page, label: str, option: str | re.Pattern[str]) -> None:
    """Choose from a list, which a panel that just unfolds or a page that is just drawn anew closes: then it is opened again."""
    listed = page.get_by_role("option", name=option).first
    for _ in range(10):
        page.get_by_label(label, exact=True).click()
        try:
            listed.click(timeout=3_000)
        except TimeoutError:
            continue
        return
    pytest.fail(f"{label} does not offer {option}")


def apply(page: Page, why: str) -> None:
    """Preview, say why, apply."""
    page.get_by_role("button", name="Preview", exact=True).click()
    page.get_by_label("Why").fill(why)
    page.get_by_role("button", name="Apply").click()


def in_force(page: Page, generation: int) -> None:
    """Wait until every router applies `generation`, and the page is drawn anew for it, which closes what is open."""
    expect(page.get_by_text(f"Every live router applies generation {generation}")).to_be_visible()
    expect(page.get_by_text(f"Generation {generation} is in force.")).to_be_visible()
    drawn(page)


def test_a_strategys_effect_is_seen_it_is_switched_watched_and_taken_back(deck: Deck, driven: Browser, url: str) -> None:
    before = deck.state()["generation"]
    with window(driven) as page:
        page.goto(f"{url}/routing?routing-view=Decisions")
        expect(page.get_by_text("What the other strategies would have done").first).to_be_visible()
        page.goto(f"{url}/control")
        page.get_by_text("Generations: what each came to").click()  # and it stays open
        choose(page, "Routing strategy", "round_robin")
        apply(page, "to see what it does")
        in_force(page, before + 1)
        assert deck.state()["desired"]["models"]["smollm2"]["strategy"] == "round_robin"
        choose(page, "Generation", re.compile(rf"^{before} "))
        page.get_by_role("button", name="Preview the way back").click()
        expect(page.get_by_text(f"This would become generation {before + 2}")).to_be_visible()
        page.get_by_label("Why").last.fill("it was worse")
        page.get_by_role("button", name="Apply").click()
        in_force(page, before + 2)
        assert deck.state()["desired"]["models"]["smollm2"]["strategy"] == "prefix_aware"
        sound(page)


def test_a_decode_pool_grows_and_is_watched_until_it_is_there(deck: Deck, driven: Browser, url: str) -> None:
    with window(driven) as page:
        page.goto(f"{url}/control")
        engines = page.get_by_label("Decode engines")
        engines.fill("3")
        engines.press("Tab")
        apply(page, "more decoding")
        expect(page.get_by_text("3 of 3 ready")).to_be_visible()
        sound(page)
    assert sum(engine["pool"] == "decode" for engine in deck.state()["engines"]) == 3


def test_a_link_to_a_decision_explains_it(deck: EmulatedDeck, driven: Browser, url: str) -> None:
    reply = deck.chat("Explain this one, please.")
    name = reply.headers["x-kvdeck-request-id"]
    wait_for(lambda: deck.decision(name), 10, "control knows of the decision")
    with window(driven) as page:
        page.goto(f"{url}/routing?request={quote(name)}")
        expect(page.get_by_text(f"Decision {name}")).to_be_visible()
        sound(page)


def test_the_page_lives_through_a_restart_of_control_with_what_was_typed(deck: EmulatedDeck, driven: Browser, url: str) -> None:
    before = deck.state()["generation"]
    with window(driven) as page:
        page.goto(f"{url}/control")
        threshold = page.get_by_label("Routing threshold")
        threshold.fill("2048")
        threshold.press("Tab")
        expect(page.get_by_role("button", name="Reset")).to_be_visible()
        assert deck.kvdeck("stop", "control").returncode == 0
        expect(page.get_by_text("Control does not answer").first).to_be_visible()
        assert deck.kvdeck("start", "control").returncode == 0
        expect(page.get_by_text("Control does not answer")).to_have_count(0)
        expect(threshold).to_have_value("2048")
        apply(page, "after a restart")
        in_force(page, before + 1)
    assert deck.state()["desired"]["models"]["smollm2"]["dpd"]["routing_threshold"] == 2048


def test_of_two_operators_the_second_is_told_of_the_conflict(deck: Deck, driven: Browser, url: str) -> None:
    before = deck.state()["generation"]
    with window(driven) as ann, window(driven) as ben:
        for page in (ann, ben):
            page.goto(f"{url}/control")
        choose(ann, "Routing strategy", "session")
        ben.get_by_label("Routing threshold").fill("1024")
        ben.get_by_label("Routing threshold").press("Tab")
        apply(ann, "ann was first")
        in_force(ann, before + 1)
        expect(ben.get_by_text("Somebody changed the state")).to_be_visible()
        ben.get_by_role("button", name=re.compile("Keep my edits")).click()
        apply(ben, "ben came second")
        in_force(ben, before + 2)
        sound(ben)
    model = deck.state()["desired"]["models"]["smollm2"]
    assert (model["strategy"], model["dpd"]["routing_threshold"]) == ("session", 1024)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_every_page_is_whole_at_both_sizes_light_and_dark(driven: Browser, url: str, size: Size, scheme: Scheme) -> None:
    for each in PAGES:
        with window(driven, size.width, size.height, scheme) as page:
            page.goto(f"{url}/{each.path}")
            expect(page.get_by_role("heading", name=each.title, exact=True)).to_be_visible()
            drawn(page)
            sound(page)
            take(page, SCREENS / f"{each.path}-{size.name}-{scheme}.png")


def test_the_stacks_own_screens_are_where_they_are_looked_for() -> None:
    assert sorted(path.stem for path in Path(SCREENS).glob("*.png")) == sorted(
        f"{page.path}-{size.name}-{scheme}" for page in PAGES for size in SIZES for scheme in SCHEMES
    )
