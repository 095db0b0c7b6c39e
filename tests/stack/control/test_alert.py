"""What two sources say of alerts, as one list."""

from __future__ import annotations

from msgspec.structs import replace

from stack.control.alert import Alert, AlertState, joined
from tests.stack.api.alarms import alert

DOWN = alert("KvdeckEngineDown", severity="critical", replica="decode-0", cluster="a")


def _names(found: tuple[Alert, ...]) -> list[tuple[str, str, bool | None]]:
    return [(one.name, one.state.value, one.undelivered) for one in found]


def test_without_alertmanager_prometheus_tells_what_it_knows() -> None:
    pending = alert("KvdeckHotspot", AlertState.PENDING)
    assert joined(None, [pending, DOWN]) == (DOWN, pending)


def test_without_prometheus_nothing_is_said_of_what_is_pending_or_undelivered() -> None:
    assert joined([DOWN], None) == (DOWN,)


def test_an_alert_that_both_know_is_told_once_whatever_labels_it_got_or_lost_on_its_way() -> None:
    at_prometheus = replace(
        DOWN, labels={"alertname": DOWN.name, "severity": "critical", "replica": "decode-0", "prometheus": "p0"}
    )
    assert joined([DOWN], [at_prometheus]) == (replace(DOWN, undelivered=False),)


def test_what_fires_and_alertmanager_has_not_heard_of_is_told_as_undelivered() -> None:
    other = alert("KvdeckEngineDown", severity="critical", replica="decode-1", cluster="a")
    pending = alert("KvdeckEngineDown", AlertState.PENDING, severity="critical", replica="decode-2", cluster="a")
    assert _names(joined([DOWN], [DOWN, other, pending])) == [
        ("KvdeckEngineDown", "firing", False),
        ("KvdeckEngineDown", "firing", True),
        ("KvdeckEngineDown", "pending", None),
    ]


def test_what_matters_most_comes_first() -> None:
    told = [
        alert("KvdeckB", AlertState.INHIBITED, severity="critical"),
        alert("KvdeckA", AlertState.SILENCED, severity="critical"),
        alert("KvdeckD", severity="info"),
        alert("KvdeckC", severity="warning"),
        alert("KvdeckE", severity="of my own"),
        DOWN,
    ]
    found = joined(told, [alert("KvdeckF", AlertState.PENDING)])
    assert [one.name for one in found] == ["KvdeckEngineDown", "KvdeckC", "KvdeckD", "KvdeckE", "KvdeckF", "KvdeckA", "KvdeckB"]
