"""Rates begin with a profile and follow what requests took."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.cache.rates import BOUND, Observation, Part, RateBook
from stack.model.rates import PROFILE, Rates

TRUE = Rates(overhead_s=0.02, running_s=0.001, prefill_tokens_per_s=700, l1_tokens_per_s=20_000, l2_tokens_per_s=9_000)


def observed(rates: Rates, tokens: float, l1: float = 0.0, in_flight: int = 0, noise: float = 1.0) -> Observation:
    seconds = rates.overhead_s + rates.running_s * in_flight + tokens / rates.prefill_tokens_per_s + l1 / rates.l1_tokens_per_s
    return Observation(seconds * noise, tokens, l1, in_flight=in_flight)


def test_until_something_is_learnt_the_profile_is_believed_and_nothing_is_shown() -> None:
    book = RateBook(PROFILE)
    assert book.of("a") is PROFILE
    assert book.learnt("a") == {}


def test_an_engine_a_tenth_as_fast_as_the_profile_is_known_after_some_twenty_requests() -> None:
    book, rng = RateBook(PROFILE), random.Random(0)
    for _ in range(20):
        book.learn("a", observed(TRUE, rng.uniform(200, 3000)))
    assert book.of("a").prefill_tokens_per_s == pytest.approx(700, rel=0.15)
    assert book.learnt("a")[Part.PREFILL] == book.of("a").prefill_tokens_per_s
    assert Part.L1 not in book.learnt("a")
    assert book.of("b") is PROFILE


def test_prompts_of_all_kinds_tell_the_parts_apart() -> None:
    book, rng = RateBook(PROFILE), random.Random(1)
    for _ in range(600):
        tokens, l1 = rng.choice([(rng.uniform(500, 3000), 0.0), (10.0, 0.0), (50.0, rng.uniform(5_000, 60_000))])
        book.learn("a", observed(TRUE, tokens, l1, rng.randrange(4), rng.uniform(0.8, 1.2)))
    learnt = book.learnt("a")
    assert learnt[Part.PREFILL] == pytest.approx(700, rel=0.25)
    assert learnt[Part.L1] == pytest.approx(20_000, rel=0.25)
    assert learnt[Part.OVERHEAD] == pytest.approx(0.02, rel=0.5)


def test_what_comes_from_l2_and_what_runs_beside_are_learnt_as_such() -> None:
    book = RateBook(PROFILE)
    for _ in range(50):
        book.learn("l2", Observation(90_000 / TRUE.l2_tokens_per_s, 0.0, l2_tokens=90_000))
        book.learn("busy", Observation(200 * 3 * PROFILE.running_s, 0.0, in_flight=200))
    assert book.learnt("l2")[Part.L2] == pytest.approx(TRUE.l2_tokens_per_s, rel=0.15)
    assert book.learnt("busy")[Part.RUNNING] == pytest.approx(3 * PROFILE.running_s, rel=0.15)


def test_a_part_that_took_hardly_any_time_is_not_shown() -> None:
    book = RateBook(PROFILE)
    for _ in range(20):
        book.learn("a", observed(PROFILE, 3000.0, l1=64.0))
    assert (Part.PREFILL in book.learnt("a"), Part.L1 in book.learnt("a")) == (True, False)


def test_one_request_that_was_held_up_by_something_else_moves_little() -> None:
    book = RateBook(PROFILE)
    for _ in range(30):
        book.learn("a", observed(PROFILE, 1000.0))
    book.learn("a", Observation(seconds=500.0, computed_tokens=1000.0))
    assert book.of("a").prefill_tokens_per_s > 0.8 * PROFILE.prefill_tokens_per_s


def test_an_engine_that_left_is_forgotten() -> None:
    book = RateBook(PROFILE)
    book.learn("a", observed(TRUE, 1000.0))
    book.changed.clear()
    book.forget("a")
    assert (book.of("a"), book.changed) == (PROFILE, {"a"})


_amounts = st.floats(0.0, 1e9)


@given(st.lists(st.builds(Observation, st.floats(allow_nan=True), _amounts, _amounts, _amounts, st.integers(0, 10_000))))
def test_whatever_is_observed_the_rates_stay_within_bounds(seen: list[Observation]) -> None:
    book = RateBook(PROFILE)
    for observation in seen:
        book.learn("a", observation)
    rate = book.of("a").prefill_tokens_per_s / PROFILE.prefill_tokens_per_s
    assert rate * 1.000001 >= 1 / BOUND
    assert rate <= BOUND * 1.000001
