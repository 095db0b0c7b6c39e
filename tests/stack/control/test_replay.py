"""Recorded requests are decided again, from the records and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stack.control.decision import Candidate, DecisionRecord, Selection
from stack.control.replay import CACHED, IN_FLIGHT, OWN, Replayed, replay
from tests.decisions import decision


def candidate(engine: str, in_flight: int, cached: int | None, ttft: float) -> Candidate:
    return Candidate(engine=engine, in_flight=in_flight, cached_tokens=cached, scores={"ttft_s": ttft})


def decided(engine: str, *candidates: Candidate, **fields: Any) -> DecisionRecord:
    selection = Selection(strategy="kv_aware", engine=engine, reason="r", ranked_by="ttft_s", candidates=candidates, **fields)
    return decision(decode=selection)


BEST, OTHER = candidate("decode-0", 5, 512, 0.25), candidate("decode-1", 1, 64, 0.75)


def test_a_choice_is_checked_by_its_own_order() -> None:
    again = replay([decided("decode-0", BEST, OTHER), decided("decode-1", BEST, OTHER)])
    assert again == (Replayed(strategy="kv_aware", decisions=2, again=1, more_tokens=448.0, sooner_seconds=0.5),)


def test_another_order_says_what_it_would_have_cost() -> None:
    (by_load,) = replay([decided("decode-0", BEST, OTHER)], IN_FLIGHT)
    assert (by_load.again, by_load.more_tokens, by_load.sooner_seconds) == (0, -448.0, -0.5)
    (by_cache,) = replay([decided("decode-0", BEST, OTHER)], CACHED)
    assert (by_cache.again, by_cache.more_tokens) == (1, None)


def test_what_cannot_be_decided_so_is_left_out() -> None:
    unknown = candidate("decode-1", 1, None, 0.75)
    assert replay([decided("decode-0", BEST, unknown)], CACHED) == ()
    assert replay([decided("decode-0", BEST, OTHER)], "queue_s") == ()
    assert replay([decided("decode-0", BEST)]) == ()
    assert replay([decided("decode-0", BEST, OTHER, omitted=9)], IN_FLIGHT) == ()
    assert len(replay([decided("decode-0", BEST, OTHER, omitted=9)], OWN)) == 1
    assert replay([decision()]) == ()


@given(st.lists(st.floats(0, 10), min_size=2, max_size=8))
def test_the_least_predicted_time_comes_out_again(times: list[float]) -> None:
    fleet = [candidate(f"decode-{number}", 0, 0, ttft) for number, ttft in enumerate(times)]
    fleet.sort(key=lambda one: one.scores["ttft_s"])
    (row,) = replay([decided(fleet[0].engine, *fleet)])
    assert row.again == 1
