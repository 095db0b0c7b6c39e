"""Each request is on the side of the generation that decided it, within windows that other changes cut."""

from __future__ import annotations

from dataclasses import replace

from stack.api.report_words import settling
from stack.control import course as bounds
from stack.control.cost import Prices
from stack.control.course import Course
from stack.control.epoch import Terms
from stack.control.report import TIERS_UNKNOWN, Side
from stack.control.state import ModelState, Pools, PoolState
from stack.model.tier import Pool
from tests.stack.control.traffic import requests

TERMS = Terms(window=100.0, settle=10.0, settle_most=50.0, linger=20.0)
PRICES = Prices.of(ModelState(pools=Pools(decode=PoolState(gpu_hour_price=2.0))))
READY = {Pool.PREFILL: 0, Pool.DECODE: 1}
ONE = next(requests(1))


def course() -> Course:
    return Course("smollm2", 1, 1_000.0, PRICES, TERMS)


def fill(subject: Course, generation: int, begin: float, count: int = 80) -> None:
    for sample in requests(count, begin=begin, every=1.0, generation=generation):
        subject.add(sample)


def test_a_change_has_a_window_before_it_and_one_after_it_has_settled() -> None:
    subject = course()
    fill(subject, 1, 1_000.0, 200)
    assert subject.changed(2, 1_200.0) == ()
    subject.add(replace(ONE, generation=2, at=1_205.0))
    assert subject.look(1_210.0, READY, as_desired=True) == ()
    fill(subject, 2, 1_210.0)
    (open_still,) = subject.unfinished()
    assert (open_still.complete, open_still.after.requests) == (False, 80)
    assert subject.look(1_329.0, READY, as_desired=True) == ()
    (report,) = subject.look(1_330.0, READY, as_desired=True)
    assert (report.generation, report.model, report.at, report.complete) == (2, "smollm2", 1_200.0, True)
    assert (report.settled_seconds, report.settling) == (10.0, 1)
    assert report.before == Side(requests=100, since=1_100.0, until=1_199.0)
    assert report.after == Side(requests=80, since=1_210.0, until=1_289.0)
    assert report.cost_before.unknown == "too few samples while it was known how many engines were ready: 0 of at least 30"
    assert report.cost_after.engine_hours == {Pool.PREFILL: 0.0, Pool.DECODE: 79 / 3_600}
    assert report.cost_after.per_million_tokens is not None
    assert report.notes == (TIERS_UNKNOWN,)
    assert subject.look(1_500.0, READY, as_desired=True) == subject.unfinished() == ()


def test_a_request_counts_for_the_generation_that_decided_it_whenever_it_ends() -> None:
    subject = course()
    subject.changed(2, 1_200.0)
    subject.look(1_210.0, READY, as_desired=True)
    fill(subject, 1, 1_110.0)  # these were under way when the change came
    fill(subject, 2, 1_210.0, 10)
    (report,) = subject.unfinished()
    assert (report.before.requests, report.after.requests, report.settling) == (80, 10, 0)


def test_a_change_of_another_model_goes_by_unseen() -> None:
    subject = course()
    subject.changed(4, 1_050.0)
    subject.look(1_060.0, READY, as_desired=True)
    fill(subject, 2, 1_000.0, 10)
    fill(subject, 5, 1_060.0, 20)  # generations 2, 3, 5 and 6 were others'
    (report,) = subject.unfinished()
    assert (report.before.requests, report.after.requests) == (10, 20)


def test_settling_lasts_until_the_pools_are_as_desired_or_for_so_long() -> None:
    subject = course()
    subject.changed(2, 1_100.0)
    subject.look(1_110.0, READY, as_desired=False)
    fill(subject, 2, 1_110.0, 5)
    assert subject.unfinished()[0].settled_seconds is None
    assert subject.unfinished()[0].settling == 5
    subject.look(1_150.0, READY, as_desired=False)
    (report,) = subject.unfinished()
    assert report.settled_seconds == 50.0
    assert report.notes[0] == "After 50 s the pools were not as desired yet; what came then counts all the same."


def test_the_next_change_cuts_what_comes_after_and_is_named() -> None:
    subject = course()
    subject.changed(2, 1_100.0)
    subject.look(1_110.0, READY, as_desired=True)
    fill(subject, 2, 1_110.0, 30)
    subject.changed(3, 1_140.0)
    subject.changed(4, 1_145.0)
    assert subject.look(1_159.0, READY, as_desired=True) == ()
    (second,) = subject.look(1_160.0, READY, as_desired=True)
    assert (second.generation, second.after.requests) == (2, 30)
    assert "Generation 3 came 40 s later." in second.notes
    (third,) = subject.look(1_165.0, READY, as_desired=True)
    assert (third.generation, third.before.requests, third.after.requests) == (3, 30, 0)
    assert "Generation 4 came 5 s later, before this one had settled." in third.notes
    assert (third.settled_seconds, third.followed_by, third.followed_seconds) == (None, 4, 5.0)
    assert settling(third) == "never settled: generation 4 came 5 s later"
    (fourth,) = subject.unfinished()
    assert (fourth.generation, fourth.before.requests) == (4, 0)


def test_lost_records_are_told() -> None:
    subject = course()
    subject.lost(2)
    subject.changed(2, 1_100.0)
    subject.lost(3)
    (report,) = subject.unfinished()
    assert "5 decision records were lost on their way; the requests they were of are on neither side." in report.notes


def test_what_is_remembered_is_bounded() -> None:
    subject = course()
    early = [report for number in range(2, 200) for report in subject.changed(number, 1_000.0 + number)]
    assert [report.generation for report in early] == list(range(2, 200 - bounds.EPOCHS_MAX + 1))
    assert len(subject.unfinished()) == bounds.EPOCHS_MAX - 1
    subject.add(replace(ONE, generation=3))  # of a generation that is forgotten
    assert sum(report.settling for report in subject.unfinished()) == 0
