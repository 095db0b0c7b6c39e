"""Prompts go where the engines say their KV lies, unless the queue there costs more."""

from __future__ import annotations

import pytest

from stack.model.outcome import UNKNOWN_OUTCOME
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.strategies.kv_aware import KvAware
from tests.stack.strategies.fleets import engine, fleet, placed, request


def score(*, engine_tokens: float, compute: float) -> dict[str, float]:
    """Of an idle engine whose placement is known, with nothing in the farther tiers."""
    parts = {"known": 1.0, "engine_tokens": engine_tokens, "l1_tokens": 0.0, "l2_tokens": 0.0}
    return parts | {"compute": compute, "load": 0.0, "queue": 0.0, "work": compute}


def test_the_engine_that_holds_most_serves() -> None:
    placement = placed(2000, decode_0=EnginePlacement(512), decode_1=EnginePlacement(1984))
    choice = KvAware().choose(request(placement=placement, prompt_tokens=2000), fleet(2))
    scores = {"decode-0": score(engine_tokens=512, compute=1488), "decode-1": score(engine_tokens=1984, compute=16)}
    assert choice == Choice("decode-1", reason="most_cached", expected_cached_tokens=1984, scores=scores, ranked_by="work")


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (EnginePlacement(1984), EnginePlacement(l1_tokens=1984)),
        (EnginePlacement(l1_tokens=1984), EnginePlacement(l2_tokens=1984)),
        (EnginePlacement(l2_tokens=1984), EnginePlacement(512)),
    ],
)
def test_a_nearer_tier_beats_a_farther_one_of_the_same_size(near: EnginePlacement, far: EnginePlacement) -> None:
    choice = KvAware().choose(request(placement=placed(2000, decode_0=far, decode_1=near)), fleet(2))
    assert choice.engine == "decode-1"
    assert choice.expected_cached_tokens == near.cached_tokens


def test_a_queue_outweighs_a_cache_that_is_worth_less() -> None:
    placement = placed(2000, decode_0=EnginePlacement(640), decode_1=EnginePlacement(0))
    choice = KvAware().choose(request(placement=placement), [engine("decode-0", 3), engine("decode-1")])
    assert (choice.engine, choice.reason, choice.expected_cached_tokens) == ("decode-1", "less_work", 0)


def test_nothing_cached_anywhere_lets_learnt_prefixes_decide_and_is_no_fallback() -> None:
    strategy = KvAware()
    strategy.learn(request(prefix=(1, 2)), Choice("decode-1", reason="test"), UNKNOWN_OUTCOME)
    asked = request(prefix=(1, 2), placement=placed(2000, decode_0=EnginePlacement(), decode_1=EnginePlacement()))
    choice = strategy.choose(asked, fleet(2))
    assert (choice.engine, choice.reason, choice.fallback, choice.expected_cached_tokens) == ("decode-1", "nothing_cached", None, 0)


@pytest.mark.parametrize(
    ("placement", "fallback"),
    [
        (Placement(unknown_reason=UnknownReason.NO_TOKENIZER), "no_tokenizer"),
        (Placement(unknown_reason=UnknownReason.TOKENIZER_MISMATCH), "tokenizer_mismatch"),
        (Placement(unknown_reason="a sentence with a prompt in it"), "placement_unknown"),
        (placed(2000, decode_9=EnginePlacement(64)), "no_trusted_engine"),
    ],
)
def test_an_unknown_placement_is_a_fallback_with_its_reason(placement: Placement, fallback: str) -> None:
    strategy = KvAware()
    strategy.learn(request(prefix=(1, 2)), Choice("decode-1", reason="test"), UNKNOWN_OUTCOME)
    choice = strategy.choose(request(prefix=(1, 2), placement=placement), fleet(2))
    assert (choice.engine, choice.reason, choice.fallback, choice.expected_cached_tokens) == (
        "decode-1",
        "longest_prefix",
        fallback,
        None,
    )


def test_an_engine_that_is_not_known_counts_as_empty_and_predicts_nothing() -> None:
    placement = placed(2000, decode_0=EnginePlacement(64))
    choice = KvAware().choose(request(placement=placement), [engine("decode-0", 9), engine("decode-1")])
    assert (choice.engine, choice.expected_cached_tokens) == ("decode-1", None)
    assert choice.scores["decode-1"]["known"] == 0.0


@pytest.mark.parametrize("params", [{"l1_cost": 0.5, "l2_cost": 0.3}, {"l2_cost": 1.5}, {"tokens_per_request": -1.0}])
def test_parameters_out_of_range_are_refused(params: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        KvAware(**params)  # type: ignore[arg-type]  # the wrong values are the point
