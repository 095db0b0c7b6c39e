"""`kvdeck ctl alerts` and `silence`: what is drawn, and what is asked of control."""

from __future__ import annotations

import msgspec
import pytest

from stack.api.alert_schema import AlertsView, SilencesView, SilenceView, SourceState, SourceView
from stack.control.alert import AlertState, SilencedBy
from stack.control.silence import EVERY_ONE, Matcher, Silence, SilenceState, matcher
from tests.stack.api.alarms import alert
from tests.stack.wiring.ctl.stand import control, refusal, run

OK = SourceView(state=SourceState.OK)
HELD = msgspec.structs.replace(
    alert("KvdeckHotspot", AlertState.SILENCED, model_name="m", replica="decode-0"),
    silenced_by=(SilencedBy(id="s", by="ada", until=0.0, comment="known"),),
)
DOWN = msgspec.structs.replace(alert("KvdeckEngineDown", severity="critical", model_name="n"), undelivered=True)
VIEW = AlertsView(alerts=(DOWN, HELD), alertmanager=OK, prometheus=OK, at=0.0)
SILENCE = Silence(
    id="s", state=SilenceState.ACTIVE, matchers=(EVERY_ONE,), by="ada", comment="known", starts=0.0, ends=60.0, ours=True
)


def test_alerts_are_drawn_with_what_holds_them_back() -> None:
    with control() as server:
        server.reads["/v1/alerts"] = VIEW
        shown = run(server, "alerts").output
        assert "silenced by ada until" in shown
        assert "model_name=m, replica=decode-0" in shown
        assert "Alertmanager has not heard of it: nobody is told" in shown
        told = msgspec.json.decode(run(server, "alerts", "--model", "m", "--json").output, type=AlertsView)
        assert told == msgspec.structs.replace(VIEW, alerts=(HELD,))
        told = msgspec.json.decode(run(server, "alerts", "--state", "firing", "--json").output, type=AlertsView)
        assert told == msgspec.structs.replace(VIEW, alerts=(DOWN,))


def test_that_nothing_fires_is_said_only_where_both_sources_say_so() -> None:
    with control() as server:
        server.reads["/v1/alerts"] = AlertsView(alerts=(), alertmanager=OK, prometheus=OK, at=0.0)
        assert run(server, "alerts").output == "no alert fires and none is pending\n"
        away = SourceView(state=SourceState.UNREACHABLE, reason="Alertmanager does not answer")
        server.reads["/v1/alerts"] = AlertsView(alerts=(), alertmanager=away, prometheus=OK, at=0.0)
        assert run(server, "alerts").output == "what is silenced or inhibited is unknown: Alertmanager does not answer\n"


def test_a_runbook_is_printed_as_it_is() -> None:
    with control() as server:
        server.reads["/v1/runbooks/KvdeckHotspot"] = msgspec.Raw(b"# KvdeckHotspot\n")
        assert run(server, "alerts", "--runbook", "KvdeckHotspot").output == "# KvdeckHotspot\n"


def test_a_silence_is_asked_for_by_name_and_matchers() -> None:
    with control(body=SilenceView(silence=SILENCE, alerts=(HELD,), dry_run=False)) as server:
        done = run(server, "silence", "add", "KvdeckHotspot", 'model_name="m"', "--for", "30m", "--comment", "known")
        assert (done.exit_code, done.output.splitlines()[-1].endswith(": s")) == (0, True)
        plain = {"is_regex": False, "is_equal": True}
        matchers = [{"name": "alertname", "value": "KvdeckHotspot"} | plain, {"name": "model_name", "value": "m"} | plain]
        assert server.patches == [("/v1/silences", None, {"matchers": matchers, "comment": "known", "seconds": 1800.0})]
        assert run(server, "silence", "add", "!=", "--comment", "known").exit_code == 2
        assert run(server, "silence", "add", "KvdeckHotspot").exit_code == 2


def test_silences_are_listed_and_ended() -> None:
    with control() as server:
        server.reads["/v1/silences"] = SilencesView(silences=(SILENCE, msgspec.structs.replace(SILENCE, id="t", ours=False)))
        shown = run(server, "silence", "list").output
        assert 'alertname=~"Kvdeck.+"' in shown
        assert "may hold back others' alerts" in shown
        assert run(server, "silence", "end", "s", "--comment", "over").exit_code == 0
        assert server.patches == [("/v1/silences/s?comment=over", None, None)]


def test_a_refusal_is_the_exit_code() -> None:
    with control(422, refusal("invalid_silence")) as server:
        assert run(server, "silence", "add", "KvdeckHotspot", "--comment", "known").exit_code == 4


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("a=b", Matcher(name="a", value="b")),
        (' a != "b c" ', Matcher(name="a", value="b c", is_equal=False)),
        ('a=~"b.*"', Matcher(name="a", value="b.*", is_regex=True)),
        ("a!~b|c", Matcher(name="a", value="b|c", is_regex=True, is_equal=False)),
        ("a=", Matcher(name="a", value="")),
        ('a="say \\"hi\\"\\n"', Matcher(name="a", value='say "hi"\n')),
        ("=b", None),
        ("a b=c", None),
        ("a", None),
    ],
)
def test_a_matcher_is_read_as_it_is_written(words: str, found: Matcher | None) -> None:
    assert matcher(words) == found
    if found is not None:
        assert matcher(found.words) == found
