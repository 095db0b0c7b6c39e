"""Prompts go where the engines say their KV lies, unless the queue there costs more."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stack.fleet.engine import Engine
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.model.rates import Rates
from stack.strategies.kv_aware import WORK_WEIGHT, KvAware
from tests.stack.strategies.fleets import engine, fleet, placed, request
from tests.stack.strategies.past import Past

RATES = Rates(overhead_s=0.5, running_s=0.25, prefill_tokens_per_s=100, l1_tokens_per_s=1000, l2_tokens_per_s=500)


def engines(*loads: int) -> list[Engine]:
    """Engines of simple rates with so many requests in flight, each of which has 1,000 tokens to compute."""
    queues = [Queue(1000.0 * load, 1000.0, 0.0) if load else EMPTY_QUEUE for load in loads]
    return [
        replace(engine(f"decode-{number}", load), queue=queue, rates=RATES)
        for number, (load, queue) in enumerate(zip(loads, queues, strict=True))
    ]


def score(*, engine_tokens: float, compute_s: float) -> dict[str, float]:
    """Of an idle engine whose placement is known, with nothing in the farther tiers."""
    parts = {"known": 1.0, "engine_tokens": engine_tokens, "l1_tokens": 0.0, "l2_tokens": 0.0}
    seconds = {"overhead_s": 0.5, "queue_s": 0.0, "compute_s": compute_s, "load_s": 0.0, "ttft_s": 0.5 + compute_s}
    return parts | seconds | {"weighed_s": 0.5 + compute_s + WORK_WEIGHT * compute_s}


def test_the_engine_that_holds_most_serves() -> None:
    placement = placed(2000, decode_0=EnginePlacement(512), decode_1=EnginePlacement(1984))
    choice = KvAware().choose(request(placement=placement, prompt_tokens=2000), engines(0, 0))
    scores = {"decode-0": score(engine_tokens=512, compute_s=14.88), "decode-1": score(engine_tokens=1984, compute_s=0.16)}
    assert choice == Choice(
        "decode-1", reason="most_cached", expected_cached_tokens=1984, predicted_ttft_s=0.66, scores=scores, ranked_by="weighed_s"
    )


def test_of_engines_with_equal_caches_the_faster_one_serves() -> None:
    placement = placed(2000, decode_0=EnginePlacement(512), decode_1=EnginePlacement(512))
    slow, fast = engines(0, 0)
    fast = replace(fast, rates=replace(RATES, prefill_tokens_per_s=120))
    assert KvAware().choose(request(placement=placement, prompt_tokens=2000), [slow, fast]).engine == "decode-1"


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
    choice = KvAware().choose(request(placement=placement), engines(3, 0))
    assert (choice.engine, choice.reason, choice.expected_cached_tokens) == ("decode-1", "less_work", 0)


@pytest.mark.parametrize(("weight", "engine"), [(0.0, "decode-1"), (0.3, "decode-0")])
def test_what_is_computed_twice_counts_beyond_the_prompts_own_wait(weight: float, engine: str) -> None:
    """decode-0 holds half of the prompt and has 12 s of work before it: alone 2 s more than computing all of it elsewhere."""
    busy, idle = engines(0, 0)
    busy = replace(busy, queue=Queue(1200.0, 1200.0, 0.0))
    placement = placed(2000, decode_0=EnginePlacement(1000), decode_1=EnginePlacement(0))
    choice = KvAware(weight).choose(request(placement=placement, prompt_tokens=2000), [busy, idle])
    assert choice.engine == engine


def test_nothing_cached_anywhere_lets_learnt_prefixes_decide_and_is_no_fallback() -> None:
    strategy, past = KvAware(), Past()
    past.sent(request(prefix=(1, 2)), "decode-1")
    asked = request(prefix=(1, 2), placement=placed(2000, decode_0=EnginePlacement(), decode_1=EnginePlacement()))
    choice = strategy.choose(past.recalled(asked), fleet(2))
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
    strategy, past = KvAware(), Past()
    past.sent(request(prefix=(1, 2)), "decode-1")
    choice = strategy.choose(past.recalled(request(prefix=(1, 2), prompt_tokens=2000, placement=placement)), fleet(2))
    assert (choice.engine, choice.reason, choice.fallback, choice.expected_cached_tokens) == (
        "decode-1",
        "longest_prefix",
        fallback,
        2000,
    )
    assert choice.decided_by == "prefix_aware"


def test_an_engine_that_is_not_known_counts_as_empty_and_predicts_nothing() -> None:
    placement = placed(2000, decode_0=EnginePlacement(64))
    choice = KvAware().choose(request(placement=placement), engines(9, 0))
    assert (choice.engine, choice.expected_cached_tokens) == ("decode-1", None)
    assert choice.scores["decode-1"]["known"] == 0.0


def test_among_hundreds_the_one_that_holds_most_is_found_and_the_idle_one_where_that_is_worth_little() -> None:
    many = [replace(engine(f"decode-{number:03}", 2), queue=Queue(500.0, 100.0, 0.0), rates=RATES) for number in range(200)]
    many[150] = replace(many[150], in_flight=0, queue=EMPTY_QUEUE)

    def held(tokens: int) -> Placement:
        everywhere = {e.name: EnginePlacement(16) for e in many}
        return Placement({**everywhere, "decode-077": EnginePlacement(tokens)}, 2000)

    choices = [KvAware().choose(request(prompt_tokens=2000, placement=held(tokens)), many) for tokens in (1984, 32)]
    assert [(choice.engine, choice.reason) for choice in choices] == [("decode-077", "most_cached"), ("decode-150", "less_work")]
    assert all(choice.engine in choice.scores and len(choice.scores) < 40 for choice in choices)
