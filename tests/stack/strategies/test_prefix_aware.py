"""Prompts go where their beginning went before."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from stack.cache.prefix import prefix_hashes
from stack.model.plan import Choice
from stack.strategies.prefix_aware import PrefixAware
from tests.stack.strategies.fleets import engine, fleet, request

SYSTEM = b"You are a helpful assistant. " * 40  # two whole pieces


def prompt(text: str) -> tuple[int, ...]:
    return prefix_hashes(SYSTEM + text.encode() * 600)


def sent(strategy: PrefixAware, to: str, text: str) -> None:
    strategy.learn(request(prefix=prompt(text)), Choice(to, reason="test"))


def test_the_longest_match_wins_over_a_shorter_one() -> None:
    strategy = PrefixAware()
    sent(strategy, "decode-0", "a")
    sent(strategy, "decode-1", "ab")
    choice = strategy.choose(request(prefix=prompt("ab")), fleet(3))
    assert (choice.engine, choice.reason) == ("decode-1", "longest_prefix")
    assert choice.scores["decode-0"]["matched_pieces"] == 2.0
    assert choice.scores["decode-1"]["matched_pieces"] == float(len(prompt("ab")))
    assert choice.scores["decode-2"]["matched_pieces"] == 0.0


def test_among_equal_matches_the_less_loaded_engine_serves() -> None:
    strategy = PrefixAware()
    sent(strategy, "decode-0", "a")
    sent(strategy, "decode-1", "a")
    assert strategy.choose(request(prefix=prompt("a")), [engine("decode-0", 2), engine("decode-1", 1)]).engine == "decode-1"


def test_a_new_prefix_has_one_home_and_new_prefixes_spread() -> None:
    choices = [PrefixAware().choose(request(i, prefix=prefix_hashes(f"{i}".encode() * 600)), fleet(4)) for i in range(200)]
    assert {choice.reason for choice in choices} == {"new_prefix"}
    assert all(30 < count < 70 for count in Counter(choice.engine for choice in choices).values())


def test_a_shared_system_prompt_does_not_pile_everything_up_on_one_engine() -> None:
    strategy = PrefixAware()
    load = Counter({e.name: 0 for e in fleet(4)})
    for number in range(80):
        candidates = [replace(e, in_flight=load[e.name]) for e in fleet(4)]
        asked = request(number, prefix=prompt(f"question {number}"))
        choice = strategy.choose(asked, candidates)
        strategy.learn(asked, choice)
        load[choice.engine] += 1
    assert max(load.values()) - min(load.values()) <= 10


def test_a_prompt_shorter_than_a_piece_goes_to_the_least_loaded() -> None:
    choice = PrefixAware().choose(request(prefix=()), [engine("a", 1), engine("b", 0)])
    assert (choice.engine, choice.reason, choice.fallback) == ("b", "short_prompt", None)


def test_a_match_below_the_minimum_is_none() -> None:
    strategy = PrefixAware(min_match_pieces=4)
    sent(strategy, "decode-0", "a")
    assert strategy.choose(request(prefix=prompt("b")), fleet(2)).reason == "new_prefix"


@pytest.mark.parametrize(
    "params", [{"min_match_pieces": 0}, {"home_pieces": 0}, {"pieces_per_engine": 0}, {"imbalance_ratio": 0.5}]
)
def test_parameters_out_of_range_are_refused(params: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        PrefixAware(**params)  # type: ignore[arg-type]  # the wrong values are the point
