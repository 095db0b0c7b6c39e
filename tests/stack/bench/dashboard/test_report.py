"""What is promised of the dashboard is held against what was measured."""

from __future__ import annotations

import msgspec

from stack.bench.dashboard.display import lines
from stack.bench.dashboard.report import Away, Fleet, Paint, Queries, Refreshing, Report, Sessions, Times

GOOD = Fleet(
    engines=16,
    paint=Paint(first=1.9, cold=Times.of([1.1, 1.2, 1.9]), warm=Times.of([0.8])),
    refresh=Refreshing(took=Times.of([0.2, 0.4]), bytes=42_000),
    sessions=Sessions(open=10, seconds=60, core_share=0.4, resident_mb=300, refreshed=1.0),
    hung=Away(told=2.7, clicked=0.4),
    down=Away(told=0.9, clicked=0.4),
    queries={"Overview": Queries(most=11, seconds=0.02, engines=[])},
)
BAD = Fleet(
    engines=1000,
    paint=Paint(first=9.0, cold=Times.of([2.6]), warm=None),
    refresh=Refreshing(took=Times.of([0.2, 0.8]), bytes=42_000),
    sessions=Sessions(open=10, seconds=60, core_share=0.9, resident_mb=700, refreshed=0.5),
    hung=Away(told=None, clicked=5.0),
    down=None,
    queries={"Routing": Queries(most=13, seconds=0.5, engines=['up{replica="a"}'])},
    missing=["nothing was shown"],
)


def test_where_everything_is_as_promised_there_is_no_fault() -> None:
    assert Report(fleets=[GOOD], others=0.1).faults == []


def test_everything_that_is_not_as_promised_is_a_fault() -> None:
    assert Report(fleets=[GOOD, BAD], others=0.1).faults == [
        "1000 engines: first useful paint, cold cache: 2.60 s, not 2.5 at most",
        "1000 engines: first useful paint, warm cache: never seen",
        "1000 engines: a refresh, p95: 0.80 s, not 0.5 at most",
        "1000 engines: 10 sessions, share of a core: 0.90, not 0.7 at most",
        "1000 engines: 10 sessions, resident: 700.00 MB, not 600 at most",
        "1000 engines: 10 sessions: 50% of the refreshes that were due came",
        "1000 engines: Prometheus hung: until the page says so: never seen",
        "1000 engines: Prometheus hung: until another page is there: 5.00 s, not 3 at most",
        "1000 engines: not measured: nothing was shown",
        "1000 engines: queries of Routing in a refresh: 13.00, not 12 at most",
        '1000 engines: Routing asks Prometheus of one engine: up{replica="a"}',
    ]


def test_a_large_fleet_may_take_longer_to_paint() -> None:
    large = msgspec.structs.replace(GOOD, engines=1000, paint=Paint(first=2.4, cold=Times.of([2.4]), warm=Times.of([2.4])))
    assert Report(fleets=[large], others=0.0).faults == []


def test_people_read_each_figure_beside_what_is_promised_of_it() -> None:
    assert list(lines(Report(fleets=[GOOD], others=0.12))) == [
        "16 emulated engines",
        "  paint      cold cache: median 1.20 s, p95 1.90 s, at most 1.90 s of 3 (bar 1.5 s)",
        "             warm cache: median 0.80 s, p95 0.80 s, at most 0.80 s of 1; the process' first session 1.90 s",
        "  refresh    median 0.30 s, p95 0.40 s, at most 0.40 s of 2 (bar: p95 0.5 s), 42 kB each",
        "  sessions   10 for 60 s: 40% of a core (bar 70%), 300 MB (bar 600), 100% of the refreshes due",
        "  hung       the page says so after 2.70 s (bar 3 s), another page is there 0.40 s after a click",
        "  down       the page says so after 0.90 s (bar 3 s), another page is there 0.40 s after a click",
        "  queries    Overview: 11 a refresh (bar 12), 20 ms of Prometheus",
        "everything else had 12% of this machine's CPU meanwhile",
        "everything held",
    ]


def test_of_nothing_measured_there_are_no_times() -> None:
    assert Times.of([]) is None
