"""What Prometheus' own log says of the queries that the dashboard asked. The lines are those of Prometheus 2.42."""

from __future__ import annotations

from stack.bench.dashboard.query_log import Asked, asked, naming, refreshes

OVER_HTTP = (
    '{"httpRequest":{"clientIP":"127.0.0.1","method":"GET","path":"/api/v1/query_range"},'
    '"params":{"end":"2026-11-30T14:42:05.000Z","query":"sum(up)","start":"2026-11-30T14:27:05.000Z","step":7},'
    '"spanID":"0000000000000000","stats":{"timings":{"evalTotalTime":0.001,"execQueueTime":0.0,"execTotalTime":0.002},'
    '"samples":{"totalQueryableSamples":0,"peakSamples":2}},"ts":"2026-11-30T14:42:05.250Z"}\n'
)
OF_A_RULE = (
    '{"params":{"end":"2026-11-30T14:42:05.325Z","query":"up == 0","start":"2026-11-30T14:42:05.325Z","step":0},'
    '"ruleGroup":{"file":"alerts/rules/engine.yaml","name":"kvdeck.alerts.engine"},"spanID":"0000000000000000",'
    '"stats":{"timings":{"execTotalTime":0.1}},"ts":"2026-11-30T14:42:05.329Z"}\n'
)


def one(at: float, query: str = "up") -> Asked:
    return Asked(at=at, path="/api/v1/query", query=query, seconds=0.0)


def test_queries_over_http_are_told_from_those_of_rules() -> None:
    assert list(asked([OF_A_RULE, OVER_HTTP])) == [
        Asked(at=1796049725.25, path="/api/v1/query_range", query="sum(up)", seconds=0.002)
    ]


def test_queries_that_come_together_are_one_refresh() -> None:
    first, second, later = one(10.0), one(10.9), one(15.0)
    assert list(refreshes([first, second, later])) == [[first, second], [later]]
    assert list(refreshes([])) == []


def test_a_query_that_names_an_engine_is_found() -> None:
    of_one, of_all = one(1.0, 'up{replica="decode-1"}'), one(2.0, 'up{replica=~"decode-.*"}')
    assert naming([of_one, of_all], ["decode-0", "decode-1", "decode-10"]) == ['up{replica="decode-1"}']
