"""The account of a run says what did not hold, and how often."""

from __future__ import annotations

import msgspec

from stack.bench.changes.report import Changes, End, Kills, Report, Requests, Span, lines

HELD = Report(
    seed=1,
    seconds=10.0,
    emulated=True,
    requests=Requests(
        sent=500,
        wanted_per_second=50.0,
        per_second=50.0,
        failed={},
        skipped=0,
        longest_seconds=1.25,
        records=499,
        mixed={},
        generations=20,
    ),
    changes=Changes(
        applied=20,
        back=1,
        refused={"refused pools.decode.replicas": 2},
        stale=0,
        unanswered=1,
        pending=0,
        seconds=Span(median=0.03, most=0.07),
        started=2,
        ended=1,
        unsound=[],
    ),
    end=End(generation=22, explained=True, seconds=3.0, differs=[]),
    kills=Kills(kills=2, struck=1, answering=Span.of([2.0, 3.0]), followed=Span.of([2.5, 3.0])),
)


def test_a_run_in_which_everything_held() -> None:
    assert HELD.faults == []
    assert list(lines(HELD)) == [
        "10 s over emulated engines, seed 1",
        "requests   500 at 50.0/s, the slowest 1.2 s, 0 failed, 0 mixed generations",
        "checked    499 decision records of 20 generations, and what each answer says",
        "changes    20 applied, 1 of them back to an earlier generation; 0 stale, 1 unanswered",
        "refused    2: 2 refused pools.decode.replicas",
        "engines    2 started, 1 ended",
        "a change   median 0.03 s, at most 0.07 s, until every router had followed; 0 were answered before that",
        "kills      2, 1 while a change was under way",
        "recovery   control answers: median 2.50 s, at most 3.00 s; every router follows: median 2.75 s, at most 3.00 s",
        "end        generation 22, desired = applied after 3.0 s",
        "everything held",
    ]


def test_a_short_run_may_have_few_requests_by_chance() -> None:
    few = msgspec.structs.replace(HELD.requests, wanted_per_second=10.0, per_second=6.5)
    assert msgspec.structs.replace(HELD, requests=few).faults == []


def test_whatever_did_not_hold_is_told() -> None:
    mixed = {f"generation {number}: routing_threshold 1, not 2": 1 for number in range(12)}
    report = msgspec.structs.replace(
        HELD,
        requests=msgspec.structs.replace(HELD.requests, failed={"status 503": 3}, skipped=4, mixed=mixed, per_second=38.0),
        changes=msgspec.structs.replace(HELD.changes, unsound=["the history has a hole after generation 4"]),
        end=End(generation=22, explained=False, seconds=180.0, differs=["models.m.pools.decode.replicas: 1 of 2 ready"]),
    )
    assert report.faults == [
        "3 requests failed: status 503",
        *(f"1 requests mixed generations: generation {number}: routing_threshold 1, not 2" for number in range(10)),
        "and 2 more like it",
        "4 requests were due and not sent: this machine is too slow for the rate",
        "38.0 requests a second, not 50: this machine is too slow or too busy",
        "the history has a hole after generation 4",
        "the history does not lead to the desired state",
        "still not as desired after 180 s: models.m.pools.decode.replicas: 1 of 2 ready",
    ]
    assert "end        generation 22, not as desired" in lines(report)
    assert list(lines(report))[-len(report.faults) - 1 :] == ["did not hold:", *(f"- {fault}" for fault in report.faults)]
