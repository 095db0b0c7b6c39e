from __future__ import annotations

from stack.control.drain import Drain, observed
from stack.control.link import EngineReport, RouterReport

DRAIN = Drain("decode-1", since=10.0, version=7)


def _report(version: int, in_flight: int | None, router: str = "router-0") -> RouterReport:
    engines = () if in_flight is None else (EngineReport(name="decode-1", health="ready", in_flight=in_flight),)
    return RouterReport(id=router, version=version, generation=1, engines=engines)


def test_quiet_begins_when_every_router_has_let_go() -> None:
    assert observed(DRAIN, [_report(7, 0), _report(8, 0, "router-1")], True, 12.0).quiet_since == 12.0
    assert observed(DRAIN, [_report(7, 0), _report(7, 1, "router-1")], True, 12.0).quiet_since is None


def test_a_report_from_before_the_drain_proves_nothing() -> None:
    assert observed(DRAIN, [_report(6, 0)], True, 12.0).quiet_since is None


def test_a_router_that_does_not_mention_the_engine_proves_nothing() -> None:
    assert observed(DRAIN, [_report(7, None)], True, 12.0).quiet_since is None


def test_without_a_live_router_nobody_knows() -> None:
    assert observed(DRAIN, [], True, 12.0).quiet_since is None


def test_an_engine_that_is_not_listed_gets_no_requests() -> None:
    assert observed(DRAIN, [], False, 12.0).quiet_since == 12.0


def test_quiet_is_counted_from_its_beginning_and_ends_with_the_next_request() -> None:
    quiet = observed(DRAIN, [_report(7, 0)], True, 12.0)
    assert observed(quiet, [_report(9, 0)], True, 20.0) == quiet
    assert observed(quiet, [_report(9, 2)], True, 20.0).quiet_since is None
