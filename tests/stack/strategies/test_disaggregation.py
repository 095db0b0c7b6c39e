"""Prefill and decode apart, or together."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stack.fleet.engine import Engine, Health
from stack.model.placement import UNKNOWN, EnginePlacement, Placement
from stack.model.plan import Choice, Comparison, Plan
from stack.model.tier import Path, Pool
from stack.strategies.base import EmptyPoolError
from stack.strategies.disaggregation import DpdPolicy, Named, PathReason, PoolStrategies, due, plan
from stack.strategies.kv_aware import KvAware
from stack.strategies.round_robin import RoundRobin
from stack.strategies.session import Session
from tests.stack.strategies.fleets import engine, placed, request

STRATEGIES = PoolStrategies(prefill=Named("round_robin", RoundRobin()), decode=Named("session", Session()))
ON = DpdPolicy(enabled=True, routing_threshold=512)
DECODE = [engine("decode-0"), engine("decode-1")]


def prefill(**changes: object) -> list[Engine]:
    return [engine("prefill-0", pool=Pool.PREFILL, **changes)]  # type: ignore[arg-type]  # keywords of engine()


@pytest.mark.parametrize(
    ("policy", "tokens", "expected"),
    [
        (ON, 511, False),
        (ON, 512, True),
        (DpdPolicy(True, 0), 0, True),
        (DpdPolicy(False, 0), 10_000, False),
    ],
)
def test_the_threshold_is_reached_by_its_own_value_and_zero_means_always(policy: DpdPolicy, tokens: int, expected: bool) -> None:
    assert due(tokens, policy) is expected


def test_a_long_prompt_takes_both_pools_each_by_its_own_strategy() -> None:
    assert plan(request(prompt_tokens=600), prefill(), DECODE, STRATEGIES, ON) == Plan(
        path=Path.DPD,
        decode=Choice("decode-0", reason="least_loaded", fallback="no_session_key"),
        decode_strategy="session",
        reason="at_threshold",
        prefill=Choice("prefill-0", reason="turn"),
        prefill_strategy="round_robin",
        compared=Comparison(600, 512),
    )


@pytest.mark.parametrize(("policy", "reason"), [(ON, PathReason.BELOW_THRESHOLD), (DpdPolicy(False, 0), PathReason.DISABLED)])
def test_a_direct_path_says_why(policy: DpdPolicy, reason: PathReason) -> None:
    made = plan(request(prompt_tokens=100), prefill(), DECODE, STRATEGIES, policy)
    assert (made.path, made.reason, made.fallback, made.prefill) == (Path.DIRECT, reason, None, None)


@pytest.mark.parametrize(
    ("placement", "reason"),
    [
        (placed(600, decode_1=EnginePlacement(473)), PathReason.ALREADY_CACHED),
        (placed(600, decode_0=EnginePlacement(472), decode_1=EnginePlacement(200, 200, 100)), PathReason.ALREADY_CACHED),
        (placed(600, decode_0=EnginePlacement(), decode_1=EnginePlacement(472)), PathReason.AT_THRESHOLD),
        (placed(600, prefill_0=EnginePlacement(592)), PathReason.AT_THRESHOLD),
        (placed(600, decode_9=EnginePlacement(592)), PathReason.AT_THRESHOLD),
        (UNKNOWN, PathReason.AT_THRESHOLD),
    ],
)
def test_a_long_prompt_that_a_decode_engine_holds_goes_straight_to_it(placement: Placement, reason: PathReason) -> None:
    policy = replace(ON, min_uncached_tokens=128)
    made = plan(request(prompt_tokens=600, placement=placement), prefill(), DECODE, STRATEGIES, policy)
    assert (made.reason, made.fallback) == (reason, None)
    if reason is PathReason.ALREADY_CACHED:
        assert (made.path, made.decode.engine, made.prefill) == (Path.DIRECT, "decode-1", None)


def test_what_is_cached_never_decides_while_the_minimum_is_zero_or_the_prompt_short() -> None:
    held = placed(600, decode_1=EnginePlacement(600))
    assert plan(request(prompt_tokens=600, placement=held), prefill(), DECODE, STRATEGIES, ON).path is Path.DPD
    short = request(prompt_tokens=100, placement=held)
    assert plan(short, prefill(), DECODE, STRATEGIES, replace(ON, min_uncached_tokens=128)).reason == "below_threshold"


@pytest.mark.parametrize(
    ("tokens", "policy", "words"),
    [
        (1830, ON, "1,830 >= 512"),
        (181, ON, "181 < 512"),
        (181, DpdPolicy(False, 512), ""),
        (1830, replace(ON, min_uncached_tokens=256), "uncached 96 < 256"),
    ],
)
def test_a_plan_tells_the_numbers_that_decided_its_path(tokens: int, policy: DpdPolicy, words: str) -> None:
    held = placed(tokens, decode_1=EnginePlacement(1734 if tokens > 1734 else 0))
    made = plan(request(prompt_tokens=tokens, placement=held), prefill(), DECODE, STRATEGIES, policy)
    assert str(made.compared or "") == words


@pytest.mark.parametrize(
    "prefillers", [[], prefill(health=Health.NOT_READY), prefill(health=Health.UNKNOWN), prefill(draining=True)]
)
def test_without_a_routable_prefill_engine_the_direct_path_is_a_counted_fallback(prefillers: list[Engine]) -> None:
    made = plan(request(prompt_tokens=600), prefillers, DECODE, STRATEGIES, ON)
    assert (made.path, made.fallback) == (Path.DIRECT, "no_ready_prefill_engine")


def test_no_decode_engine_is_an_empty_pool() -> None:
    with pytest.raises(EmptyPoolError):
        plan(request(), prefill(), [engine("decode-0", draining=True)], STRATEGIES, ON)


@pytest.mark.parametrize(
    ("placement", "engine", "decided_by", "fallback"),
    [
        (Placement(unknown_reason="no_tokenizer"), "decode-1", "round_robin", "no_tokenizer"),
        (placed(600, decode_0=EnginePlacement(64)), "decode-0", None, None),
    ],
)
def test_where_placement_is_needed_and_not_known_the_configured_fallback_decides(
    placement: Placement, engine: str, decided_by: str | None, fallback: str | None
) -> None:
    named = Named("kv_aware", KvAware(), fallback=Named("round_robin", RoundRobin()))
    blind = PoolStrategies(named, named)
    made = plan(request(1, prompt_tokens=100, placement=placement), prefill(), DECODE, blind, ON)
    assert (made.decode.engine, made.decode.decided_by, made.decode.fallback) == (engine, decided_by, fallback)
    assert made.decode_strategy == "kv_aware"


def test_a_missing_session_key_is_no_case_for_the_fallback() -> None:
    named = Named("session", Session(), fallback=Named("round_robin", RoundRobin()))
    sessions = PoolStrategies(named, named)
    made = plan(request(1, prompt_tokens=100), prefill(), [engine("decode-0"), engine("decode-1", 1)], sessions, ON)
    assert (made.decode.engine, made.decode.fallback, made.decode.decided_by) == ("decode-0", "no_session_key", None)
