"""A page that says whether an alert fires says whether people are told of it."""

from __future__ import annotations

import pytest

from dashboard.alarms import mention
from stack.control.alert import AlertState
from tests.stack.api.alarms import alert


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([], "KvdeckHotspot does not fire."),
        ([AlertState.SILENCED], "KvdeckHotspot fires, and is silenced."),
        ([AlertState.INHIBITED], "KvdeckHotspot fires, and is held back since another one does."),
        ([AlertState.SILENCED, AlertState.FIRING], "KvdeckHotspot fires."),
        ([AlertState.SILENCED, AlertState.PENDING], "KvdeckHotspot is pending: it fires once this has lasted."),
    ],
)
def test_the_most_urgent_alert_of_a_name_is_told(states: list[AlertState], said: str) -> None:
    alerts = [alert("KvdeckHotspot", state) for state in states]
    assert mention.of_rule("KvdeckHotspot", [alert("KvdeckPoolShort"), *alerts]) == said


def test_alerts_that_name_an_engine_are_told_by_state() -> None:
    alerts = [
        alert("KvdeckB", AlertState.SILENCED, replica="decode-0"), alert("KvdeckA", backend="decode-0"),
        alert("KvdeckA", target="decode-0"), alert("KvdeckC", replica="decode-1"),
    ]  # fmt: skip
    assert mention.of_engine("decode-0", alerts) == {AlertState.FIRING: ["KvdeckA"], AlertState.SILENCED: ["KvdeckB"]}
