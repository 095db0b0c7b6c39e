"""What alerts lead to is there."""

from __future__ import annotations

from dashboard.alarms.listing import KEYS
from dashboard.pages import PAGES
from dashboard.scope import LINKED
from stack.control.alert_places import ENGINE, SCOPE, Page


def test_every_page_that_an_alert_leads_to_is_one() -> None:
    assert {page.value for page in Page} <= {page.path for page in PAGES}


def test_whatever_an_alert_narrows_a_page_to_is_heeded_there() -> None:
    assert KEYS.keys() == {*SCOPE, ENGINE}
    assert set(KEYS.values()) <= set(LINKED)
