"""A decision counts once, however often and in whatever order reports bring it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.control.decision import DecisionRecord
from stack.control.deliveries import Deliveries, Delivery
from stack.control.link import RouterReport
from stack.router.records import RecordBuffer
from tests.decisions import decision
from tests.stack.router.errands import errand

A, B, C, D = (decision(request_id=name) for name in "abcd")


def report(
    first: int, *decisions: DecisionRecord | None, router: str = "r", life: str | None = "1", dropped: int = 0
) -> RouterReport:
    return RouterReport(id=router, version=1, generation=1, decisions=decisions, dropped=dropped, life=life, first=first)


def test_what_is_sent_again_is_nothing_new() -> None:
    deliveries = Deliveries()
    assert deliveries.new(report(2, A, B, dropped=2)) == Delivery((A, B), 2)
    assert deliveries.new(report(2, A, B, dropped=2)) == Delivery()
    assert deliveries.new(report(4)) == Delivery()


def test_of_a_report_that_is_known_in_part_the_rest_is_new() -> None:
    deliveries = Deliveries()
    deliveries.new(report(0, A, B))
    assert deliveries.new(report(0, A, B, C)) == Delivery((C,))
    assert deliveries.new(report(2, C, D)) == Delivery((D,))


def test_what_was_dropped_before_it_came_is_lost_and_what_came_before_it_was_dropped_is_not() -> None:
    deliveries = Deliveries()
    deliveries.new(report(0, A))
    assert deliveries.new(report(1, dropped=1)) == Delivery()
    assert deliveries.new(report(3, D, dropped=3)) == Delivery((D,), 2)
    assert deliveries.new(report(3, D, dropped=3)) == Delivery()


def test_what_comes_after_what_follows_it_was_lost() -> None:
    deliveries = Deliveries()
    assert deliveries.new(report(2, C, dropped=2)) == Delivery((C,), 2)
    assert deliveries.new(report(0, A, B, C)) == Delivery()
    assert deliveries.new(report(3, D)) == Delivery((D,))


def test_one_that_cannot_be_told_is_lost_once() -> None:
    deliveries = Deliveries()
    assert deliveries.new(report(0, A, None, C)) == Delivery((A, C), 1)
    assert deliveries.new(report(0, A, None, C, None)) == Delivery((), 1)


def test_a_restarted_router_counts_anew_and_what_its_earlier_life_sends_late_is_known_all_the_same() -> None:
    deliveries = Deliveries()
    deliveries.new(report(0, A, B, life="1"))
    assert deliveries.new(report(0, C, life="2")) == Delivery((C,))
    assert deliveries.new(report(0, A, B, life="1")) == Delivery()
    assert deliveries.new(report(1, D, life="2")) == Delivery((D,))


def test_every_router_has_numbers_of_its_own() -> None:
    deliveries = Deliveries()
    deliveries.new(report(0, A, router="r"))
    assert deliveries.new(report(0, B, router="s")) == Delivery((B,))
    assert deliveries.new(report(1, C, router="r")) == Delivery((C,))


def test_a_restarted_control_takes_what_comes() -> None:
    Deliveries().new(report(0, A, B))
    assert Deliveries().new(report(1, B, C, dropped=1)) == Delivery((B, C), 1)


def test_an_older_routers_reports_are_taken_each_time() -> None:
    deliveries = Deliveries()
    for _ in range(2):
        assert deliveries.new(report(0, A, None, dropped=3, life=None)) == Delivery((A,), 4)


def test_lives_that_are_silent_longest_are_forgotten() -> None:
    deliveries = Deliveries(most=2)
    for life in ("1", "2", "1", "3"):
        deliveries.new(report(0, A, life=life))
    assert deliveries.new(report(0, A, life="1")) == Delivery()
    assert deliveries.new(report(0, A, life="2")) == Delivery((A,))


@given(st.lists(st.sampled_from(["decide", "report", "unanswered", "held up", "comes late"]), max_size=60))
def test_whatever_is_lost_late_or_unanswered_each_decision_counts_once(steps: list[str]) -> None:
    buffer, deliveries = RecordBuffer(kept=4), Deliveries()
    decided, lost, told = 0, 0, list[str]()
    held_up: list[RouterReport] = []

    def come(one: RouterReport) -> None:
        nonlocal lost
        delivery = deliveries.new(one)
        told.extend(record.request_id for record in delivery.decisions)
        lost += delivery.lost

    for step in [*steps, *["report"] * 3]:
        if step == "decide":
            buffer.add(errand())
            decided += 1
            continue
        if step == "comes late":
            if held_up:
                come(held_up.pop(0))
            continue
        batch = buffer.batch(2)
        numbers = range(batch.first, batch.end)
        sent = report(batch.first, *(decision(request_id=str(number)) for number in numbers), dropped=batch.dropped)
        if step == "held up":
            held_up.append(sent)
            continue
        come(sent)
        if step == "report":
            buffer.acknowledge(batch)
    assert sorted(set(told)) == sorted(told)
    assert len(told) + lost == decided
