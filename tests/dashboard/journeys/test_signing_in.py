"""People come in with their own tokens, one beside the other, and go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from stack.control.access import Role
from tests.dashboard import chromium
from tests.dashboard.chromium import served, sound, visit, window
from tests.dashboard.fakes import EmulatedFleet, Steered, prometheus
from tests.dashboard.proxy import proxy
from tests.dashboard.samples import BUSY
from tests.grants import grant
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

pytestmark = chromium.MARKS


@pytest.fixture
def control(tmp_path: Path) -> Iterator[Steered]:
    """One that takes the tokens of Ann, an operator, and Bob, a viewer."""
    control = Steered(tmp_path / "control", EmulatedFleet(running("prefill-0", "decode-0").engines), desired(), "root")
    control.tokens.tokens = [*control.tokens.tokens, grant("ann", Role.OPERATOR), grant("bob", Role.VIEWER)]
    yield control
    control.stop()


def _sign_in(page: Page, token: str) -> None:
    page.get_by_label("Control token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def _is(page: Page, who: str) -> None:
    expect(page.get_by_role("button", name=who)).to_be_visible()


def test_people_come_in_side_by_side_and_go(driven: Browser, control: Steered) -> None:
    with (
        prometheus(BUSY) as prometheus_url,
        served(prometheus_url, control.url, "--sign-in") as url,
        window(driven) as ann,
        window(driven) as bob,
    ):
        ann.goto(f"{url}/routing?range=1h")
        _sign_in(ann, "nobody")
        expect(ann.get_by_role("alert")).to_contain_text("Control does not know this token")
        _sign_in(ann, "ann")
        expect(ann.get_by_role("heading", name="Routing", exact=True)).to_be_visible()
        assert ann.url == f"{url}/routing?range=1h"
        _is(ann, "ann, operator")
        ann.reload()
        _is(ann, "ann, operator")
        sound(ann)
        assert "ann" not in str(ann.context.cookies())

        bob.goto(f"{url}/control")
        _sign_in(bob, "bob")
        _is(bob, "bob, viewer")
        expect(bob.get_by_text("look only")).to_be_visible()
        _is(ann, "ann, operator")

        control.tokens.tokens = [one for one in control.tokens.tokens if one.name != "bob"]
        expect(bob.get_by_label("Control token")).to_be_visible()  # by itself, within a refresh
        assert "/sign-in?next=%2Fcontrol" in bob.url

        other = ann.context.new_page()
        other.goto(f"data:text/html,<a href='{url}/overview'>a link in a chat</a>")  # the cookie is not sent with it
        other.get_by_role("link").click()
        _is(other, "ann, operator")
        ann.get_by_role("button", name="ann").click()
        ann.get_by_role("button", name="Sign out").click()
        for page in (ann, other):  # in all her tabs
            expect(page.get_by_label("Control token")).to_be_visible()


def test_behind_a_proxy_under_a_prefix_all_of_it_is_there(driven: Browser, control: Steered) -> None:
    with (
        prometheus(BUSY) as prometheus_url,
        served(prometheus_url, control.url, "--sign-in", base="/kvdeck") as inside,
        proxy(inside, "/kvdeck/") as url,
        window(driven) as page,
    ):
        page.goto(f"{url}/kvdeck/routing?range=1h")
        _sign_in(page, "ann")
        expect(page.get_by_role("heading", name="Routing", exact=True)).to_be_visible()
        assert page.url == f"{url}/kvdeck/routing?range=1h"
        visit(page, "Control")
        assert page.url.startswith(f"{url}/kvdeck/control")
        sound(page)
        assert httpx.get(f"{url}/other").status_code == 404  # what the proxy does not pass on, nobody asked for
