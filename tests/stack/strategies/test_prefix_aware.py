"""Prompts go where their beginning went before."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from stack.cache.prefix import prefix_hashes
from stack.model.load import Queue
from stack.model.rates import PROFILE
from stack.model.recalled import Recalled
from stack.model.request import RouteRequest
from stack.strategies import rendezvous
from stack.strategies.prefix_aware import HOME_PIECES, PrefixAware
from tests.stack.strategies.fleets import engine, fleet, request
from tests.stack.strategies.past import Past

SYSTEM = b"You are a helpful assistant. " * 40  # two whole pieces


def prompt(text: str) -> list[int]:
    return prefix_hashes(SYSTEM + text.encode() * 600)


def sent(past: Past, to: str, text: str) -> None:
    past.sent(request(prefix=prompt(text)), to)


def test_the_longest_match_wins_over_a_shorter_one() -> None:
    strategy, past = PrefixAware(), Past()
    sent(past, "decode-0", "a")
    sent(past, "decode-1", "ab")
    choice = strategy.choose(past.recalled(request(prefix=prompt("ab"))), fleet(3))
    assert (choice.engine, choice.reason) == ("decode-1", "longest_prefix")
    assert choice.scores["decode-0"]["matched_pieces"] == 2.0
    assert choice.scores["decode-1"]["matched_pieces"] == float(len(prompt("ab")))
    assert choice.scores["decode-2"]["matched_pieces"] == 0.0


def test_among_equal_matches_the_less_loaded_engine_serves() -> None:
    strategy, past = PrefixAware(), Past()
    sent(past, "decode-0", "a")
    sent(past, "decode-1", "a")
    asked = past.recalled(request(prefix=prompt("a")))
    assert strategy.choose(asked, [engine("decode-0", 2), engine("decode-1", 1)]).engine == "decode-1"


def test_a_new_prefix_has_one_home_and_new_prefixes_spread() -> None:
    choices = [PrefixAware().choose(request(i, prefix=prefix_hashes(f"{i}".encode() * 600)), fleet(4)) for i in range(200)]
    assert {choice.reason for choice in choices} == {"new_prefix"}
    assert all(30 < count < 70 for count in Counter(choice.engine for choice in choices).values())


def test_a_shared_system_prompt_does_not_pile_everything_up_on_one_engine() -> None:
    strategy, past = PrefixAware(), Past()
    load = Counter({e.name: 0 for e in fleet(4)})
    for number in range(80):
        candidates = [replace(e, in_flight=load[e.name]) for e in fleet(4)]
        asked = request(number, prefix=prompt(f"question {number}"))
        choice = past.send(strategy, asked, candidates)
        load[choice.engine] += 1
    assert max(load.values()) - min(load.values()) <= 10


def test_a_prompt_shorter_than_a_piece_goes_to_the_least_loaded() -> None:
    choice = PrefixAware().choose(request(prefix=()), [engine("a", 1), engine("b", 0)])
    assert (choice.engine, choice.reason, choice.fallback) == ("b", "short_prompt", None)


def test_a_prompt_asked_again_goes_where_it_went() -> None:
    strategy, past = PrefixAware(), Past()
    for number in range(12):
        asked = request(number, prompt_tokens=2000, prefix=prompt("the same"))
        choice = past.send(strategy, asked, [engine("decode-0", number % 3), engine("decode-1"), engine("decode-2", number % 2)])
        assert choice.engine == strategy.choose(past.recalled(asked), fleet(3)).engine
        assert number == 0 or choice.reason == "longest_prefix"


def test_what_nearly_every_prompt_shares_binds_none_of_them() -> None:
    strategy, past = PrefixAware(), Past()
    for number in range(20):
        sent(past, "decode-0", f"question {number}")
    new = [strategy.choose(past.recalled(request(prefix=prompt(f"another {number}"))), fleet(2)) for number in range(40)]
    assert {choice.reason for choice in new} == {"shared_prefix"}
    assert 10 < Counter(choice.engine for choice in new)["decode-0"] < 30
    assert strategy.choose(past.recalled(request(prefix=prompt("question 7"))), fleet(2)).reason == "longest_prefix"


def test_questions_about_one_of_several_documents_follow_the_document() -> None:
    strategy, past = PrefixAware(), Past()
    for number in range(24):
        document = f"document {number % 4} ".encode() * 400
        asked = request(number, prefix=prefix_hashes(document + f"question {number}".encode() * 100))
        past.sent(asked, f"decode-{number % 4}")
    document = b"document 2 " * 400
    choice = strategy.choose(past.recalled(request(prefix=prefix_hashes(document + b"and another" * 100))), fleet(4))
    assert (choice.engine, choice.reason) == ("decode-2", "longest_prefix")


@pytest.mark.parametrize(("ahead", "chosen", "reason"), [(2_000, "decode-0", "longest_prefix"), (4_000, "decode-1", "imbalance")])
def test_a_match_gives_way_when_the_queue_costs_more_than_it_saves(ahead: int, chosen: str, reason: str) -> None:
    strategy, past = PrefixAware(), Past()
    sent(past, "decode-0", "a long conversation")
    asked = request(prompt_tokens=2000, prefix=prompt("a long conversation"))
    choice = strategy.choose(past.recalled(asked), [replace(engine("decode-0"), queue=Queue(ahead, ahead)), engine("decode-1")])
    assert (choice.engine, choice.reason) == (chosen, reason)
    assert choice.scores["decode-0"] == {
        "matched_pieces": float(len(asked.prefix_hashes)),
        "overhead_s": PROFILE.overhead_s,
        "queue_s": ahead / PROFILE.prefill_tokens_per_s,
        "compute_s": 0.0,
        "load_s": 0.0,
        "ttft_s": PROFILE.overhead_s + ahead / PROFILE.prefill_tokens_per_s,
    }
    assert choice.predicted_ttft_s == choice.scores[chosen]["ttft_s"]
    assert choice.expected_cached_tokens == (2000 if chosen == "decode-0" else 0)


def test_a_chat_that_adds_less_than_a_piece_goes_by_its_opening() -> None:
    strategy, past = PrefixAware(), Past()
    shared = prefix_hashes(SYSTEM)
    for opening in range(8):
        past.sent(request(prefix=[*shared, opening], opening=(opening, len(shared))), "decode-0")

    def engines(more: list[int]) -> list[str]:
        chats = [request(prefix=[*shared, *(more or [number])], opening=(number, len(shared))) for number in range(100, 140)]
        return [strategy.choose(past.recalled(chat), fleet(2)).engine for chat in chats]

    first, grown = engines(more=[]), engines(more=[17, 18, 19])
    assert first == grown
    assert 10 < first.count("decode-0") < 30


def test_a_shared_prefix_with_nothing_of_its_own_goes_to_the_least_loaded() -> None:
    strategy, past = PrefixAware(), Past()
    for number in range(20):
        sent(past, "decode-0", f"question {number}")
    choice = strategy.choose(past.recalled(request(prefix=prefix_hashes(SYSTEM))), [engine("decode-0", 1), engine("decode-1")])
    assert (choice.engine, choice.reason) == ("decode-1", "shared_prefix")


def test_where_other_routers_send_as_well_a_prompt_leaves_late_and_for_its_next_homes_only() -> None:
    asked = request(prompt_tokens=2000, prefix=prompt("something new"))
    among_others = replace(asked, recalled=Recalled(others=True))
    homes = rendezvous.ranked(_key_of(asked), fleet(8))

    def chosen(asked: RouteRequest, ahead: int) -> str:
        busy = Queue(ahead, ahead)
        return PrefixAware().choose(asked, [replace(e, queue=busy) if e == homes[0] else e for e in fleet(8)]).engine

    assert chosen(asked, 2_000) != homes[0].name
    assert chosen(among_others, 2_000) == homes[0].name
    assert chosen(among_others, 9_000) in {homes[1].name, homes[2].name}


def _key_of(asked: RouteRequest) -> int:
    """What decides the home of a prompt of which nothing is known."""
    return asked.prefix_hashes[HOME_PIECES - 1]
