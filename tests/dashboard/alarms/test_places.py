"""What alerts lead to is there."""

from __future__ import annotations

from dashboard.alarms.listing import key
from dashboard.pages import PAGES
from dashboard.scope import LINKED
from stack.control.alert_places import PAGE_OF, Page, place


def test_every_page_that_an_alert_leads_to_is_one() -> None:
    assert {page.value for page in Page} <= {page.path for page in PAGES}


def test_whatever_an_alert_narrows_a_page_to_is_heeded_there() -> None:
    labels = {"cluster": "eu", "namespace": "ns", "model_name": "m", "replica": "decode-0"}
    places = [found for name in PAGE_OF if (found := place(name, labels)) is not None]
    assert {key(found.page, label) for found in places for label in found.filters} <= set(LINKED)
