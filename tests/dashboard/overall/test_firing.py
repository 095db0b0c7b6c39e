"""Which alerts there are, and whose word that is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dashboard.asking import Answers
from dashboard.desk import Failed
from dashboard.overall.firing import Alarms, told
from dashboard.overall.questions import asked
from dashboard.promapi import Sample
from stack.api.alert_schema import AlertsView, SourceState, SourceView
from stack.control.alert import OURS, Alert, AlertState
from stack.metrics.family import Label

RULES = [Sample({}, 3.0, 0.0)]
OK, AWAY = SourceView(state=SourceState.OK), SourceView(state=SourceState.UNREACHABLE, reason="away")
SILENCED = Alert(name="KvdeckA", state=AlertState.SILENCED, labels={"cluster": "eu"}, severity="critical")


def answers(*firing: dict[str, str], rules: list[Sample] = RULES) -> Answers:
    return Answers(datetime.fromtimestamp(0, UTC), {"firing": [Sample(labels, 1.0, 0.0) for labels in firing], "rules": rules})


def view(prometheus: SourceView = OK, alertmanager: SourceView = OK) -> AlertsView:
    return AlertsView(alerts=(SILENCED,), prometheus=prometheus, alertmanager=alertmanager, at=0.0)


def test_control_knows_what_is_silenced() -> None:
    assert told(answers({"alertname": "KvdeckA"}), view(), {}) == Alarms((SILENCED,))


def test_a_control_that_could_ask_nobody_is_not_believed_to_know_of_none() -> None:
    assert told(answers({"alertname": "KvdeckA"}), view(AWAY, AWAY), {}).firing("warning") == ["KvdeckA"]


def test_others_alerts_are_none_of_this_fleet() -> None:
    assert f'alertname=~"{OURS}.+"' in asked(timedelta(hours=1)).queries["firing"].expr


def test_without_control_what_is_pending_is_told_as_that() -> None:
    found = told(answers({"alertname": "KvdeckA", "alertstate": "pending"}, {"alertname": "KvdeckB"}), None, {})
    assert (found.firing("warning"), found.held_back, found.doubt) == (["KvdeckB"], "1 pending", None)


def test_an_alert_is_left_out_where_another_fleet_is_looked_at() -> None:
    assert told(answers(), view(), {Label.CLUSTER: "us"}).alerts == ()
    assert told(answers(), view(), {Label.CLUSTER: "eu", Label.MODEL_NAME: "m"}).alerts == (SILENCED,)


def test_where_no_rule_records_anything_it_is_unknown_whether_one_fires() -> None:
    assert told(answers(rules=[]), view(), {}).doubt == "this Prometheus records none of kvdeck's rules"


def test_a_question_that_failed_is_no_silence() -> None:
    failed = Answers(datetime.fromtimestamp(0, UTC), {"firing": Failed("too slow"), "rules": Failed("too slow")})
    assert told(failed, None, {}) == Alarms(doubt="too slow")
    assert told(None, None, {}) == Alarms(doubt="Prometheus does not answer")


def test_no_answer_does_not_say_that_there_are_no_rules() -> None:
    assert told(None, view(), {}) == Alarms((SILENCED,), "Prometheus does not answer")
