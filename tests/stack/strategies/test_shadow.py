"""What the other strategies would have done, and what that would have been worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from stack.fleet.engine import Engine
from stack.model.placement import UNKNOWN, EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies.disaggregation import Named
from stack.strategies.prediction import predicted
from stack.strategies.shadow import Shadow, regret, shadows
from tests.stack.strategies.fleets import fleet, placed, request


@dataclass
class Fixed:
    """A strategy that always makes the same choice."""

    choice: Choice
    asked: list[RouteRequest] = field(default_factory=list)

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        self.asked.append(request)
        return self.choice


HELD = placed(600, decode_0=EnginePlacement(64), decode_1=EnginePlacement(512))
SCORES = {"decode-0": {"ttft_s": 0.75}, "decode-1": {"ttft_s": 0.5}}
PREDICTING = Choice("decode-1", reason="most_cached", scores=SCORES, predicted_ttft_s=0.5, ranked_by="ttft_s")


def seconds(held: int) -> float:
    """When an idle engine that holds so much of 600 tokens would give the first one."""
    return predicted(request(prompt_tokens=600), fleet(1)[0], EnginePlacement(held), 600).ttft_s


def test_a_shadow_says_what_it_would_have_gained() -> None:
    others = [Named("kv_aware", Fixed(PREDICTING)), Named("session", Fixed(Choice("decode-0", reason="home")))]
    asked = request(prompt_tokens=600, placement=HELD)
    assert shadows(asked, fleet(2), Choice("decode-0", reason="turn"), "round_robin", others) == (
        Shadow("kv_aware", "decode-1", "most_cached", agrees=False, gained_tokens=448, gained_seconds=seconds(64) - seconds(512)),
        Shadow("session", "decode-0", "home", agrees=True, gained_tokens=0, gained_seconds=0.0),
    )


def test_a_better_choice_makes_the_others_gains_negative() -> None:
    others = [Named("round_robin", Fixed(Choice("decode-0", reason="turn")))]
    (shadow,) = shadows(request(prompt_tokens=600, placement=HELD), fleet(2), PREDICTING, "kv_aware", others)
    assert (shadow.gained_tokens, shadow.gained_seconds) == (-448, seconds(512) - seconds(64))


def test_where_no_cache_is_known_what_a_strategy_has_learnt_is_the_yardstick() -> None:
    others = [Named("session", Fixed(Choice("decode-0", reason="home"))), Named("prefix_aware", Fixed(PREDICTING))]
    acting = Choice("decode-0", reason="turn")
    unknown = shadows(request(placement=UNKNOWN), fleet(2), acting, "round_robin", others)
    assert [(one.strategy, one.gained_tokens, one.gained_seconds) for one in unknown] == [
        ("session", 0, 0.0),
        ("prefix_aware", None, 0.25),
    ]


def test_nothing_is_said_where_nothing_is_expected() -> None:
    others = [Named("session", Fixed(Choice("decode-0", reason="home")))]
    (shadow,) = shadows(request(placement=UNKNOWN), fleet(2), Choice("decode-1", reason="turn"), "round_robin", others)
    assert (shadow.agrees, shadow.gained_tokens, shadow.gained_seconds) == (False, None, None)


def test_the_acting_strategy_does_not_decide_twice() -> None:
    acting = Fixed(PREDICTING)
    assert shadows(request(), fleet(2), PREDICTING, "kv_aware", [Named("kv_aware", acting)]) == ()
    assert acting.asked == []


@pytest.mark.parametrize(
    ("placement", "chosen", "expected"),
    [(HELD, "decode-0", 448), (HELD, "decode-1", 0), (HELD, "decode-2", None), (UNKNOWN, "decode-0", None)],
)
def test_regret_is_measured_against_the_best_candidate(placement: Placement, chosen: str, expected: int | None) -> None:
    assert regret(placement, fleet(3), chosen) == expected
