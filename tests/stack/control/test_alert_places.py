"""Every alert leads to the page that shows it."""

from __future__ import annotations

from stack.control.alert_places import PAGE_OF, Page, Place, place
from tests.alerts.ruleset import NAMES


def test_every_alert_of_the_rules_has_its_page_and_no_other_has() -> None:
    assert sorted(PAGE_OF) == NAMES


def test_every_page_but_none_is_where_some_alert_leads() -> None:
    assert set(PAGE_OF.values()) == set(Page)


def test_a_place_is_narrowed_to_what_the_alert_is_about() -> None:
    labels = {"cluster": "c", "namespace": "llm", "model_name": "m", "replica": "decode-0", "severity": "critical"}
    scope = {"cluster": "c", "namespace": "llm", "model_name": "m"}
    assert place("KvdeckEngineDown", labels) == Place(page=Page.ENGINES, filters=scope | {"engine": "decode-0"})
    assert place("KvdeckKvTransferSlow", labels) == Place(page=Page.DPD, filters=scope)
    assert place("KvdeckControlDown", {"namespace": ""}) == Place(page=Page.CONTROL)


def test_an_alert_of_somebody_elses_rules_has_no_place() -> None:
    assert place("DiskFull", {"namespace": "llm"}) is None
