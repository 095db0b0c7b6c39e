"""Alerts of one name are one thing, on however many engines it is so."""

from __future__ import annotations

from msgspec.structs import replace

from dashboard.alarms.groups import Group, grouped, telling
from stack.control.alert import AlertState
from stack.control.alert_places import Page
from tests.stack.api.alarms import alert

DOWN = [alert("KvdeckEngineDown", severity="critical", model_name="m", replica=f"decode-{number}") for number in range(2)]
PENDING = replace(DOWN[0], state=AlertState.PENDING, since=1_600_000_000.0, labels=DOWN[0].labels | {"replica": "decode-9"})
WARNED = alert("KvdeckEngineDown", severity="warning")


def test_alerts_of_one_name_and_severity_are_one_group_in_the_order_of_the_most_urgent() -> None:
    assert grouped([*DOWN, WARNED, PENDING]) == [Group((*DOWN, PENDING)), Group((WARNED,))]


def test_a_group_says_how_many_are_in_which_state_and_since_when() -> None:
    group = Group((*DOWN, PENDING))
    assert (group.counts, group.state, group.since) == ("2 firing, 1 pending", AlertState.FIRING, 1_600_000_000.0)
    assert Group((replace(DOWN[0], since=None), DOWN[1])).since is None


def test_what_all_have_alike_is_told_once_and_the_rest_tells_them_apart() -> None:
    group = Group(tuple(DOWN))
    assert group.common == {"model_name": "m"}
    assert [telling(one.labels, tuple(group.common)) for one in group.alerts] == ["replica=decode-0", "replica=decode-1"]


def test_the_page_that_shows_a_group_is_narrowed_to_what_all_have_alike() -> None:
    assert Group(tuple(DOWN)).shown_on == (Page.ENGINES, {"model_name": "m"})
    assert Group((DOWN[0],)).shown_on == (Page.ENGINES, {"model_name": "m", "engine": "decode-0"})
    assert Group((alert("DiskFull"),)).shown_on is None
