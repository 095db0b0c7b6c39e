"""The parts of a page are chosen alike on every page, and the URL holds which one is looked at."""

from __future__ import annotations

from pathlib import Path

import dashboard
from dashboard.views import cache, dpd, routing
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import Steered


def test_no_page_has_a_choice_of_parts_of_its_own() -> None:
    views = (Path(dashboard.__file__).parent / "views").glob("*.py")
    assert [view.name for view in views if "segmented_control(" in view.read_text("utf-8")] == []


def test_a_page_opens_with_its_first_part_or_with_the_one_that_its_link_is_about(opened: Opener, steered: Steered) -> None:
    assert opened("cache").segmented_control(key="cache-part").value == next(iter(cache.PARTS))
    assert opened("dpd").segmented_control(key="dpd-part").value == next(iter(dpd.PARTS))
    assert opened("routing").segmented_control(key="routing-view").value == routing.FLOW
    assert opened("routing", {"request": "r-9"}).segmented_control(key="routing-view").value == routing.DECISIONS


def test_until_a_page_is_drawn_to_its_end_its_browser_is_told_which_part_it_opens_with(opened: Opener, steered: Steered) -> None:
    page = opened("routing", {"request": "r-9"}).run()
    part = page.segmented_control(key="routing-view")
    assert (part.value, part.proto.set_value) == (routing.DECISIONS, True)
    page.session_state["page drawn"] = "Routing"
    part = page.run().segmented_control(key="routing-view")
    assert (part.value, part.proto.set_value) == (routing.DECISIONS, False)
