"""Strategies over a simulated fleet: what becomes of many conversations, not of one decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from stack.strategies.prefix_aware import PrefixAware
from tests.stack.strategies.fleets import fleet
from tests.stack.strategies.simulation import Run, Turn, chats, documents, run

BRIEF = b"You are a helpful assistant. " * 40  # two whole pieces and a bit
LONG = b"You are a helpful assistant. " * 300  # sixteen and a bit: more than a chat adds in its first turns

systems = pytest.mark.parametrize("system", [BRIEF, LONG], ids=["brief", "long"])
# Less than a piece, about one, and several.
sizes = pytest.mark.parametrize("question_bytes", [100, 600, 2000])


def routed(turns: Sequence[Turn], routers: int = 1) -> Run:
    return run([PrefixAware() for _ in range(routers)], fleet(4), turns)


def stayed(turns: Sequence[Turn], result: Run) -> float:
    """The share of follow-up turns that went where the turn before went."""
    followed = list(_followed(turns, result))
    return sum(followed) / len(followed)


def _followed(turns: Sequence[Turn], result: Run) -> Iterator[bool]:
    conversations: dict[int, list[str]] = {}
    for turn, engine in zip(turns, result.engines, strict=True):
        conversations.setdefault(turn.conversation, []).append(engine)
    for engines in conversations.values():
        yield from (one == other for one, other in pairwise(engines))


@systems
@sizes
def test_chats_over_one_system_prompt_spread_and_each_stays_on_its_engine(system: bytes, question_bytes: int) -> None:
    turns = chats(120, 8, question_bytes, system)
    result = routed(turns)
    assert result.spread <= 1.5
    assert stayed(turns, result) >= 0.95


@systems
@sizes
def test_three_routers_that_share_nothing_lose_little_of_what_one_would_hit(system: bytes, question_bytes: int) -> None:
    turns = chats(120, 8, question_bytes, system)
    alone, apart = routed(turns), routed(turns, routers=3)
    assert apart.hit_ratio >= 0.95 * alone.hit_ratio
    assert apart.spread <= 1.5


@systems
def test_questions_about_one_document_meet_over_three_routers(system: bytes) -> None:
    turns = documents(40, 12, 8000, system)
    alone, apart = routed(turns), routed(turns, routers=3)
    assert stayed(turns, alone) >= 0.95
    assert apart.hit_ratio >= 0.95 * alone.hit_ratio
    assert apart.spread <= 2.0  # forty homes drawn for four engines
