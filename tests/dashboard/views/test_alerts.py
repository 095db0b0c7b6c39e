"""The Alerts page over the real control with an Alertmanager that is only told, and over Prometheus alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from stack.control.access import Role
from stack.control.alert import Alert, AlertState, SilencedBy
from stack.control.silence import EVERY_ONE, Matcher, Silence, SilenceState
from stack.metrics import alert_queries
from stack.wiring.control_alerts import NO_WATCHERS, Watchers
from tests.dashboard.conftest import PAST, Opener
from tests.dashboard.fakes import EmulatedFleet, Steered, prometheus
from tests.dashboard.reading import read
from tests.grants import grant
from tests.stack.api.alarms import FakeAlertmanager, FakePrometheus, alert
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

DOWN = alert("KvdeckEngineDown", severity="critical", model_name="m", replica="decode-0")
SLOW = [alert("KvdeckKvTransferSlow", model_name="m", replica=f"decode-{number}") for number in range(2)]
HELD = replace(
    alert("KvdeckHotspot", AlertState.SILENCED, model_name="n"),
    silenced_by=(SilencedBy(id="s", by="ada", until=1_700_003_600.0, comment="known"),),
)
FOLLOWS = replace(alert("KvdeckRoutingFallbacks", AlertState.INHIBITED), inhibited_by=("KvdeckModelNotServed",))
PENDING = alert("KvdeckPoolShort", AlertState.PENDING)
RUNBOOK = "# KvdeckEngineDown\n\n## Meaning\n\nIt is listed, and does not answer.\n"

Starting = Callable[..., Steered]


@pytest.fixture
def manager() -> FakeAlertmanager:
    return FakeAlertmanager([DOWN, *SLOW, HELD, FOLLOWS])


@pytest.fixture
def steering(environment: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Starting]:
    """Starts a control that asks `watching`; with the role of whoever looks."""
    started: list[Steered] = []

    def start(watching: Watchers, role: Role | None = None) -> Steered:
        fleet = EmulatedFleet(running("prefill-0", "decode-0").engines)
        secret, others = (None, ()) if role is None else ("admin", (grant("me", role),))
        control = Steered(tmp_path / "control", fleet, desired(), secret, watching=watching, others=others)
        started.append(control)
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        if role is not None:
            (tmp_path / "token").write_text("me")
            environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
        return control

    yield start
    for control in started:
        control.stop()


def watched(manager: FakeAlertmanager, *pending: Alert) -> Watchers:
    rules = [*(replace(one, state=AlertState.FIRING, silenced_by=(), inhibited_by=()) for one in manager.firing), *pending]
    return Watchers(alertmanager=manager, prometheus=FakePrometheus(rules), runbooks={"KvdeckEngineDown": RUNBOOK})


def figures(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def headings(page: AppTest) -> list[str]:
    return [panel.label.split("**")[1] for panel in page.expander]


def button(page: AppTest, label: str) -> AppTest:
    (found,) = [each for each in page.button if each.label == label]
    return found.click().run()


def test_what_fires_comes_first_then_what_is_pending_then_what_is_held_back(
    opened: Opener, steering: Starting, manager: FakeAlertmanager
) -> None:
    steering(watched(manager, PENDING))
    page = opened("alerts")
    assert not page.exception
    assert headings(page) == [
        "KvdeckEngineDown", "KvdeckKvTransferSlow", "KvdeckPoolShort", "KvdeckHotspot", "KvdeckRoutingFallbacks",
    ]  # fmt: skip
    assert figures(page) == {"Firing": "3", "Pending": "1", "Silenced": "1", "Inhibited": "1"}
    assert all(metric.help.startswith("Alerts. ") and "From control, as of " in metric.help for metric in page.metric)
    assert page.expander[1].label.endswith(": KvdeckKvTransferSlow it is (and 1 more)")
    assert len(page.warning) == 0


def test_a_link_unfolds_an_alert_with_what_it_says_what_to_do_and_where_it_is_seen(
    opened: Opener, steering: Starting, manager: FakeAlertmanager
) -> None:
    steering(watched(manager))
    page = opened("alerts", {"alerts-open-KvdeckEngineDown-critical": "true", "alerts-open-KvdeckHotspot-warning": "true"})
    assert not page.exception
    texts = [text.value for text in page.markdown]
    assert "This and that\\." not in texts
    assert "This and that." in texts
    assert "**Meaning**\n\nIt is listed, and does not answer." in texts
    links = [(link.proto.label, link.proto.page, link.proto.query_string) for link in page.get("page_link")]
    assert links == [
        ("See it on Pools and engines", "engines", "to-model=m&to-engines-engine=decode-0"),
        ("See it on Routing", "routing", "to-model=n"),
    ]
    held = page.dataframe[1].value["held back"].tolist()
    assert held == ["silenced by ada until Nov 14, 23:13: known"]


def test_severity_state_and_model_narrow_what_is_listed(opened: Opener, steering: Starting, manager: FakeAlertmanager) -> None:
    steering(watched(manager, PENDING))
    assert headings(opened("alerts", {"alerts-severity": ["critical"]})) == ["KvdeckEngineDown"]
    assert headings(opened("alerts", {"alerts-state": ["silenced", "inhibited"]})) == ["KvdeckHotspot", "KvdeckRoutingFallbacks"]
    page = opened("alerts", {"model": "n"})
    assert headings(page) == ["KvdeckPoolShort", "KvdeckHotspot", "KvdeckRoutingFallbacks"]
    assert figures(page)["Firing"] == "0"
    page = opened("alerts", {"alerts-severity": ["info"]})
    assert page.info[0].value == "None of the 6 alerts there are fits what is chosen above."


def test_an_operator_silences_an_alert_with_a_reason_and_ends_the_silence_again(
    opened: Opener, steering: Starting, manager: FakeAlertmanager
) -> None:
    steering(watched(manager), Role.OPERATOR)
    page = button(opened("alerts", {"alerts-open-KvdeckKvTransferSlow-warning": "true"}), "Silence…")
    assert page.multiselect[0].value == ["model_name=m"]
    assert page.info[0].value.startswith("Holds back 2 that fire now, until ")
    assert page.info[0].value.endswith(": 2 `KvdeckKvTransferSlow`.")
    page = button(page, "Silence")
    assert page.warning[0].value == "Say why: whoever looks next has to know."
    page.text_input(key="silence-more-1").set_value("no condition").run()
    assert page.warning[0].value.startswith("That is no condition")
    page.text_input(key="silence-more-1").set_value("replica=~decode-[0-3]")
    page.segmented_control(key="silence-for-1").set_value("2 h")
    page.text_input(key="silence-why-1").set_value("new GPUs at noon")
    page = button(page.run(), "Silence")
    assert not page.exception
    (made,) = manager.kept
    assert (made.by, made.comment, made.ends - made.starts) == ("me", "new GPUs at noon", 7_200.0)
    assert made.matchers == (
        Matcher(name="alertname", value="KvdeckKvTransferSlow"),
        Matcher(name="model_name", value="m"),
        Matcher(name="replica", value="decode-[0-3]", is_regex=True),
    )
    assert page.success[0].value.startswith("Silenced until ")
    button(page, "End it now")
    assert manager.kept == []


def test_a_draft_that_is_cancelled_is_gone(opened: Opener, steering: Starting, manager: FakeAlertmanager) -> None:
    steering(watched(manager))
    page = button(opened("alerts", {"alerts-open-KvdeckEngineDown-critical": "true"}), "Silence…")
    page = button(page, "Cancel")
    assert [each.key for each in page.multiselect] == []
    assert manager.kept == []


def test_a_viewer_sees_everything_and_may_silence_nothing(opened: Opener, steering: Starting, manager: FakeAlertmanager) -> None:
    manager.kept = [_silence("s", EVERY_ONE)]
    steering(watched(manager), Role.VIEWER)
    page = opened("alerts", {"alerts-open-KvdeckEngineDown-critical": "true"})
    assert [each.label for each in page.button] == []
    assert page.dataframe[1].value["why"].tolist() == ["so"]
    assert "You may look: silencing takes a token with the role operator." in [text.value for text in page.caption]


def test_silences_that_hold_back_others_alerts_are_told_and_not_ended_here(
    opened: Opener, steering: Starting, manager: FakeAlertmanager
) -> None:
    manager.kept = [_silence("wide", Matcher(name="namespace", value="llm"), ours=False), _silence("own", EVERY_ONE)]
    steering(watched(manager))
    page = opened("alerts")
    assert page.dataframe[0].value["may be ended here"].tolist() == ["yes", "no"]
    assert [each.key for each in page.button] == ["silence-end-own"]


def test_a_silence_is_respected_wherever_alerts_are_told(opened: Opener, steering: Starting, manager: FakeAlertmanager) -> None:
    manager.firing.append(alert("KvdeckEngineStalled", AlertState.SILENCED, model_name="m", replica="decode-0"))
    steering(watched(manager))
    page = opened("engines", {"engines-engine": "decode-0"})
    assert "Firing about it: KvdeckEngineDown, KvdeckKvTransferSlow." in [warning.value for warning in page.warning]
    assert "Silenced: KvdeckEngineStalled." in [caption.value for caption in page.caption]


def test_without_alertmanager_it_is_said_what_is_unknown(opened: Opener, steering: Starting, manager: FakeAlertmanager) -> None:
    steering(watched(manager, PENDING))
    manager.away = "Alertmanager does not answer: ConnectError"
    page = opened("alerts")
    assert page.warning[0].value == f"What is silenced or inhibited is unknown: {manager.away}."
    assert figures(page)["Silenced"] == "unknown"
    assert "KvdeckEngineDown" in headings(page)
    assert not page.exception


def test_nothing_fires_is_said_only_where_both_sources_say_so(opened: Opener, steering: Starting) -> None:
    manager = FakeAlertmanager()
    steering(watched(manager))
    assert [text.value for text in opened("alerts").success] == ["Nothing fires, and nothing is pending."]
    manager.away = "Alertmanager does not answer: ConnectError"
    page = opened("alerts")
    assert (len(page.success), page.info[0].value) == (0, "Of what is known nothing fires.")


def test_a_thousand_engines_with_one_fault_are_one_line(opened: Opener, steering: Starting) -> None:
    down = [alert("KvdeckEngineDown", severity="critical", model_name="m", replica=f"decode-{number}") for number in range(1_000)]
    steering(watched(FakeAlertmanager(down)))
    page = opened("alerts", {"alerts-open-KvdeckEngineDown-critical": "true"})
    assert (headings(page), figures(page)["Firing"]) == (["KvdeckEngineDown"], "1000")
    assert len(page.dataframe[0].value) == 200
    assert "The first 200 of 1000." in [text.value for text in page.caption]


ALERTS = [
    ({"alertname": "KvdeckEngineDown", "alertstate": "firing", "severity": "critical", "replica": "decode-0"}, 1_700_000_000.0),
    ({"alertname": "KvdeckHotspot", "alertstate": "pending", "severity": "warning"}, 0.0),
]


@pytest.mark.parametrize(
    ("configured", "why"),
    [
        (True, "Control does not answer at http://127.0.0.1:9: [Errno 111] Connection refused."),
        (False, "no control is configured."),
    ],
)
def test_prometheus_alone_tells_what_it_knows_and_what_is_unknown_then(
    opened: Opener, environment: pytest.MonkeyPatch, configured: bool, why: str
) -> None:
    if not configured:
        environment.setenv("KVDECK_CONTROL_URL", "")
    with prometheus({alert_queries.active().expr: ALERTS}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("alerts", {"alerts-open-KvdeckEngineDown-critical": "true"})
    unknown = "Summaries, runbooks, and what is silenced or inhibited are unknown, since only Prometheus tells:"
    assert read(page.warning[0].value) == f"{unknown} {why}"
    assert figures(page) == {"Firing": "1", "Pending": "1", "Silenced": "unknown", "Inhibited": "unknown"}
    assert headings(page) == ["KvdeckEngineDown", "KvdeckHotspot"]
    assert [each.label for each in page.button] == []
    assert "What to do is in `alerts/runbooks/KvdeckEngineDown.md`." in [text.value for text in page.caption]
    assert not page.exception


def test_of_hours_that_are_held_it_is_what_fired_at_their_end(
    opened: Opener, steering: Starting, environment: pytest.MonkeyPatch, manager: FakeAlertmanager
) -> None:
    steering(watched(manager, PENDING))
    with prometheus({alert_queries.active().expr: ALERTS}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("alerts", PAST)
    assert headings(page) == ["KvdeckEngineDown", "KvdeckHotspot"]
    assert page.warning[0].value.endswith("since only Prometheus tells: control tells what is so now.")
    assert "As of Mar 05, 18:30:00 (UTC), from Prometheus." in [text.value for text in page.caption]


def test_a_control_that_was_told_of_no_source_says_how_to_tell_it(
    opened: Opener, steering: Starting, environment: pytest.MonkeyPatch
) -> None:
    steering(NO_WATCHERS)
    with prometheus({}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("alerts")
    assert "kvdeck control --alertmanager-url" in page.warning[0].value
    assert page.info[0].value.startswith("Prometheus tells of no alert.")


def test_everything_away_is_one_sentence(opened: Opener) -> None:
    page = opened("alerts")
    assert [text.value.split(":")[0] for text in page.error] == ["Prometheus at http"]
    assert not page.exception


def _silence(silence_id: str, *matchers: Matcher, ours: bool = True) -> Silence:
    return Silence(
        id=silence_id, state=SilenceState.ACTIVE, matchers=matchers, by="eve", comment="so", starts=0.0, ends=9e9, ours=ours
    )
