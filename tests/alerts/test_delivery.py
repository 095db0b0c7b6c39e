"""What the shipped configuration delivers: each test has a cluster of its own."""

from collections.abc import Iterator

import pytest

from tests.alerts.delivery import Alertmanager, Labels, Message, delivering
from tests.alerts.promtool import ROOT


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alertmanager]:
    with delivering(ROOT / "alerts" / "alertmanager.yaml", tmp_path_factory.mktemp("alertmanager")) as running:
        yield running


def _alert(name: str, cluster: str, severity: str = "warning", requires: str = "exporter", **labels: str) -> Labels:
    own = {"alertname": name, "cluster": cluster, "severity": severity, "requires": requires}
    return {**own, "namespace": "llm", "model_name": "m"} | labels


def _group(name: str, cluster: str, model: str = "m") -> Labels:
    return {"alertname": name, "cluster": cluster, "namespace": "llm", "model_name": model}


def test_engines_with_one_fault_are_one_message_and_its_end_is_told(alertmanager: Alertmanager) -> None:
    down = [_alert("KvdeckEngineDown", "grouping", "critical", replica=f"decode-{index}") for index in range(3)]
    other = _alert("KvdeckEngineDown", "grouping", "critical", replica="decode-9", model_name="n")
    alertmanager.tell(*down, other)
    group = _group("KvdeckEngineDown", "grouping")
    assert alertmanager.webhook.of(group) == [Message("page", group, tuple(down), ())]
    assert alertmanager.webhook.of(_group("KvdeckEngineDown", "grouping", "n"))[0].firing == (other,)
    alertmanager.tell(*down, over=True)
    assert alertmanager.webhook.of(group, 2)[1] == Message("page", group, (), tuple(down))


def test_a_severity_goes_to_its_receiver(alertmanager: Alertmanager) -> None:
    receivers = {"critical": "page", "warning": "ticket", "info": "note"}
    alertmanager.tell(*(_alert("KvdeckX", severity, severity) for severity in receivers))
    assert {severity: alertmanager.webhook.of(_group("KvdeckX", severity))[0].receiver for severity in receivers} == receivers


def test_an_engine_that_is_down_silences_what_else_is_told_of_it_until_it_is_back(alertmanager: Alertmanager) -> None:
    down = _alert("KvdeckEngineDown", "down", "critical", replica="decode-0")
    scraped = _alert("KvdeckEngineDown", "down", "critical", "native", instance="e2:8000")
    alertmanager.tell(down, scraped)
    alertmanager.webhook.of(_group("KvdeckEngineDown", "down"))
    hidden = [
        _alert("KvdeckEngineStalled", "down", requires="router", replica="decode-0", instance="router"),
        _alert("KvdeckEngineStalled", "down", requires="native", instance="e2:8000"),
    ]
    told = [
        _alert("KvdeckEngineStalled", "down", requires="native", instance="e1:8000"),
        _alert("KvdeckEngineStalled", "down", replica="decode-1"),
        _alert("KvdeckEngineStalled", "down"),
    ]
    alertmanager.tell(*hidden, *told)
    group = _group("KvdeckEngineStalled", "down")
    assert _sorted(alertmanager.webhook.of(group)[0].firing) == _sorted(told)
    alertmanager.tell(down, scraped, over=True)
    assert _sorted(alertmanager.webhook.of(group, 2)[1].firing) == _sorted([*hidden, *told])


def test_an_exporter_that_is_down_silences_what_rests_on_it_in_its_cluster_alone(alertmanager: Alertmanager) -> None:
    alertmanager.tell({"alertname": "KvdeckExporterDown", "cluster": "blind", "severity": "critical", "requires": "exporter"})
    alertmanager.webhook.of({"alertname": "KvdeckExporterDown", "cluster": "blind"})
    native = _alert("KvdeckKvTransferSlow", "blind", requires="native")
    elsewhere = _alert("KvdeckKvTransferSlow", "seeing")
    alertmanager.tell(_alert("KvdeckKvTransferSlow", "blind"), native, elsewhere)
    assert alertmanager.webhook.of(_group("KvdeckKvTransferSlow", "blind"))[0].firing == (native,)
    assert alertmanager.webhook.of(_group("KvdeckKvTransferSlow", "seeing"))[0].firing == (elsewhere,)


def test_a_model_that_nobody_serves_is_not_told_to_be_slow(alertmanager: Alertmanager) -> None:
    alertmanager.tell(_alert("KvdeckModelNotServed", "gone", "critical", "native"))
    alertmanager.webhook.of(_group("KvdeckModelNotServed", "gone"))
    critical = _alert("KvdeckX", "gone", "critical")
    alertmanager.tell(_alert("KvdeckX", "gone"), critical)
    assert alertmanager.webhook.of(_group("KvdeckX", "gone"))[0].firing == (critical,)


def test_a_fast_burn_silences_the_slow_one(alertmanager: Alertmanager) -> None:
    fast = _alert("KvdeckTtftBudgetBurning", "burning", "critical", window="1h")
    alertmanager.tell(fast, _alert("KvdeckTtftBudgetBurning", "burning", window="6h"))
    alertmanager.tell(_alert("KvdeckItlBudgetBurning", "burning", window="6h"))
    assert alertmanager.webhook.of(_group("KvdeckTtftBudgetBurning", "burning")) == [
        Message("page", _group("KvdeckTtftBudgetBurning", "burning"), (fast,), ())
    ]
    assert len(alertmanager.webhook.of(_group("KvdeckItlBudgetBurning", "burning"))[0].firing) == 1


def test_transfers_that_all_count_as_failed_are_told_once(alertmanager: Alertmanager) -> None:
    alertmanager.tell(_alert("KvdeckTransferTelemetryBroken", "telemetry", "critical", "native", instance="e0:8000"))
    alertmanager.webhook.of(_group("KvdeckTransferTelemetryBroken", "telemetry"))
    other = _alert("KvdeckKvTransferFailing", "telemetry", requires="native", instance="e1:8000")
    alertmanager.tell(_alert("KvdeckKvTransferFailing", "telemetry", requires="native", instance="e0:8000"), other)
    assert alertmanager.webhook.of(_group("KvdeckKvTransferFailing", "telemetry"))[0].firing == (other,)


def test_a_router_that_is_down_is_not_told_beside_all_of_them(alertmanager: Alertmanager) -> None:
    none_left = _alert("KvdeckRouterDown", "routers", "critical", "router", reason="none_left")
    foreign = _alert("KvdeckRouterDown", "routers", reason="foreign")
    alertmanager.tell(none_left, _alert("KvdeckRouterDown", "routers", requires="router", instance="r0"), foreign)
    group = _group("KvdeckRouterDown", "routers")
    messages = alertmanager.webhook.of(group, 2)
    assert {message.receiver: message.firing for message in messages} == {"page": (none_left,), "ticket": (foreign,)}


def test_a_store_that_is_down_silences_what_lmcache_meets(alertmanager: Alertmanager) -> None:
    alertmanager.tell(_alert("KvdeckStoreDown", "store", target="redis"))
    alertmanager.webhook.of(_group("KvdeckStoreDown", "store"))
    other_store = _alert("KvdeckStoreNearlyFull", "store", replica="redis-b")
    elsewhere = _alert("KvdeckL2Backlog", "store", replica="lmcache-b") | {"namespace": "elsewhere"}
    alertmanager.tell(_alert("KvdeckL2Backlog", "store", replica="lmcache"), other_store, elsewhere)
    assert alertmanager.webhook.of(_group("KvdeckStoreNearlyFull", "store"))[0].firing == (other_store,)
    assert alertmanager.webhook.of(_group("KvdeckL2Backlog", "store") | {"namespace": "elsewhere"})[0].firing == (elsewhere,)
    assert not [message for message in alertmanager.webhook.messages if message.group == _group("KvdeckL2Backlog", "store")]


def _sorted(alerts: list[Labels] | tuple[Labels, ...]) -> list[Labels]:
    return sorted(alerts, key=lambda labels: sorted(labels.items()))
