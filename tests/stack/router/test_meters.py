"""Every event leaves its mark; label children are kept between counts and gone when they should be."""

from typing import Any

from prometheus_client import CollectorRegistry, generate_latest

from stack.metrics import catalog
from stack.model.plan import Choice
from stack.router.errand import Errand
from stack.router.meters import Meters
from stack.router.phases import Timeline
from tests.stack.router.errands import CANDIDATES, chosen


def _answered(**fields: Any) -> Errand:
    """A stream on the direct path; `fields` say what is different."""
    made = chosen(Choice("d0", reason="session_home"), CANDIDATES)
    plain = {"timeline": Timeline(1.0, decode_sent=1.25, first_token=2.0, done=4.0), "gaps": [0.1, 0.3]}
    for name, value in {**plain, **fields}.items():
        setattr(made, name, value)
    return made


def _meters() -> tuple[Meters, CollectorRegistry]:
    registry = CollectorRegistry()
    return Meters(registry), registry


def _samples(registry: CollectorRegistry) -> list[str]:
    """All samples but histograms' buckets."""
    return [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#") and "_bucket{" not in line]


def test_every_event_leaves_its_mark() -> None:
    meters, registry = _meters()
    meters.answered(_answered())
    meters.unrouted("none", 404)
    meters.fell_back("m", "decode_died")
    meters.failed("learn")
    meters.ejected("m", "decode", "d0")
    meters.evicted("m", "decode", "d0", 5)
    meters.event_gap("m", "d0", "recovered")
    assert _samples(registry) == [
        'kvdeck_router_requests_total{code="2xx",model_name="m",path="direct"} 1.0',
        'kvdeck_router_requests_total{code="4xx",model_name="none",path="none"} 1.0',
        'kvdeck_router_decisions_total{backend="d0",model_name="m",path="direct",reason="session_home",strategy="session"} 1.0',
        'kvdeck_router_fallbacks_total{model_name="m",reason="decode_died"} 1.0',
        'kvdeck_router_internal_errors_total{site="learn"} 1.0',
        'kvdeck_router_ejections_total{backend="d0",model_name="m",pool="decode"} 1.0',
        'kvdeck_cache_evicted_blocks_total{backend="d0",model_name="m",pool="decode"} 5.0',
        'kvdeck_router_kv_event_gaps_total{backend="d0",model_name="m",state="recovered"} 1.0',
        'kvdeck_router_request_phase_duration_seconds_count{model_name="m",path="direct",phase="router"} 1.0',
        'kvdeck_router_request_phase_duration_seconds_sum{model_name="m",path="direct",phase="router"} 0.25',
        'kvdeck_router_request_phase_duration_seconds_count{model_name="m",path="direct",phase="prefill"} 1.0',
        'kvdeck_router_request_phase_duration_seconds_sum{model_name="m",path="direct",phase="prefill"} 0.75',
        'kvdeck_router_request_phase_duration_seconds_count{model_name="m",path="direct",phase="decode"} 1.0',
        'kvdeck_router_request_phase_duration_seconds_sum{model_name="m",path="direct",phase="decode"} 2.0',
        'kvdeck_router_time_to_first_token_seconds_count{model_name="m",path="direct"} 1.0',
        'kvdeck_router_time_to_first_token_seconds_sum{model_name="m",path="direct"} 1.0',
        'kvdeck_router_inter_token_latency_seconds_count{model_name="m",path="direct"} 2.0',
        'kvdeck_router_inter_token_latency_seconds_sum{model_name="m",path="direct"} 0.4',
    ]


def test_what_was_not_seen_has_no_series() -> None:
    """No token was seen to follow another, and a request that failed says nothing about how long a phase takes."""
    meters, registry = _meters()
    meters.answered(_answered(streamed=False, status=502, gaps=[]))
    assert [line.split("{")[0] for line in _samples(registry)] == [catalog.ROUTER_REQUESTS.name, catalog.ROUTER_DECISIONS.name]


def test_requests_alike_are_counted_in_the_same_series_and_others_in_theirs() -> None:
    meters, registry = _meters()
    for fields in ({}, {}, {"status": 502}, {"engine": "d1"}):
        meters.answered(_answered(**fields))
    text = _samples(registry)
    assert 'kvdeck_router_requests_total{code="2xx",model_name="m",path="direct"} 3.0' in text
    assert 'kvdeck_router_requests_total{code="5xx",model_name="m",path="direct"} 1.0' in text
    told = 'kvdeck_router_decisions_total{{backend="{}",model_name="m",path="direct",reason="session_home",strategy="session"}} {}'
    assert told.format("d0", 3.0) in text
    assert told.format("d1", 1.0) in text


def test_an_engine_that_left_takes_its_series_with_it_and_begins_anew() -> None:
    meters, registry = _meters()
    meters.answered(_answered())
    meters.ejected("m", "decode", "d0")
    meters.evicted("m", "decode", "d0", 5)
    meters.event_gap("m", "d0", "lost")
    meters.forget("d0")
    assert [line for line in _samples(registry) if "d0" in line] == []
    meters.answered(_answered())
    assert [line.rsplit(" ", 1)[1] for line in _samples(registry) if "d0" in line] == ["1.0"]
