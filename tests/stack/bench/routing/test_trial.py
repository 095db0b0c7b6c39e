"""A run in virtual time: the emulator's engines and the router's own parts, end to end."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stack.bench.routing.contest import colocated, contest, disaggregated
from stack.bench.routing.load import rate_for
from stack.bench.routing.recorded import workload
from stack.bench.routing.scenarios import SCENARIOS
from stack.bench.routing.trial import Ran, Setting, run
from stack.bench.routing.verdict import verdict
from stack.bench.routing.workload import Workload
from stack.control.state import Dpd, ModelState
from stack.emulator.profiles import PROFILES
from stack.traffic.trace import Line

PROFILE = replace(PROFILES["h100-llama8b-tp1"], engine_blocks=501, l1_blocks=0, l2_blocks=0)
SETTING = Setting(PROFILE, 20.0, PROFILE, decode=2)


def chats(seed: int = 0, size: int = 6) -> Workload:
    return SCENARIOS["multi_turn"](random.Random(seed), size)


def played(strategy: str, made: Workload, setting: Setting = SETTING) -> Ran:
    return run(made, setting, ModelState(strategy=strategy, dpd=Dpd(enabled=False), shadow_share=0.0))


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_workload_is_the_same_for_the_same_seed_and_ends_with_every_request_answered(name: str) -> None:
    made = SCENARIOS[name](random.Random(3), 4)
    assert made == SCENARIOS[name](random.Random(3), 4)
    ran = played("round_robin", made)
    assert len(ran.asked) == made.requests
    assert all(asked.record.status == 200 for asked in ran.asked)


def test_a_run_repeats_to_the_last_digit() -> None:
    first, second = played("kv_aware", chats()), played("kv_aware", chats())
    assert [asked.ttft for asked in first.asked] == [asked.ttft for asked in second.asked]


def test_kv_aware_predicts_what_engines_then_report_and_when_their_first_token_comes() -> None:
    ran = played("kv_aware", chats())
    records = [asked.record for asked in ran.asked]
    known = [record for record in records if record.decode.expected_cached_tokens is not None]
    exact = [record for record in known if record.cached_tokens == record.decode.expected_cached_tokens]
    assert len(exact) >= 0.9 * len(records)
    off = sorted(abs(asked.ttft - (asked.record.decode.predicted_ttft_seconds or 0.0)) for asked in ran.asked)
    assert off[len(off) // 2] < 0.015


def test_a_chat_finds_its_own_answers_cached() -> None:
    """The answer's tokens continue the prompt's, so all but the newest question is there when the chat goes on."""
    ran = played("kv_aware", Workload("one", chats().conversations[:1]), replace(SETTING, decode=1))
    first, second = ran.asked[0].record, ran.asked[1].record
    assert second.cached_tokens is not None
    assert second.cached_tokens >= (first.prompt_tokens + (first.output_tokens or 0)) // 64 * 64 - 64


def test_disaggregation_takes_long_prompts_through_both_pools() -> None:
    made = SCENARIOS["mixed"](random.Random(0), 3)
    arm = disaggregated("kv_aware", 3, 1, threshold=1024)
    ran = run(made, replace(SETTING, prefill=1, decode=2), arm.state)
    long = [asked for asked in ran.asked if asked.kind == "stranger"]
    assert {asked.record.path for asked in long} == {"dpd"}
    assert {asked.record.prefill_engine for asked in long} == {"prefill-0"}
    assert [asked.record.fallbacks for asked in ran.asked if asked.record.fallbacks] == []


def test_a_trace_keeps_its_shared_blocks_and_its_order() -> None:
    lines = [Line(0.0, 1024, 80, [1, 2]), Line(500.0, 1500, 8, [1, 2, 3]), Line(1000.0, 600, 8, [7, 8])]
    made = workload(lines)
    first, second, third = (conversation.turns[0] for conversation in made.conversations)
    assert second.tokens[:128] == first.tokens
    assert [len(turn.tokens) for turn in (first, second, third)] == [128, 187, 75]
    assert not set(third.tokens) & set(second.tokens)
    assert [conversation.begins for conversation in made.conversations] == [0.0, 1.5, 3.0]
    assert len(played("kv_aware", made).asked) == 3


def test_the_load_is_found_at_which_engines_are_as_busy_as_wanted() -> None:
    made = SCENARIOS["unique"](random.Random(0), 12)
    rate, busy = rate_for(made, SETTING, busy=0.5)
    assert busy == pytest.approx(0.5, abs=0.1)
    assert played("round_robin", made, replace(SETTING, rate=rate)).mean_busy == busy


def test_several_routers_hear_the_same_events_and_share_the_requests() -> None:
    ran = played("kv_aware", chats(), replace(SETTING, routers=3))
    assert sum(asked.record.cached_tokens or 0 for asked in ran.asked) > 0


def test_a_contest_judges_what_its_arms_allow() -> None:
    told: list[str] = []
    held = contest(lambda seed: chats(seed, 4), colocated(["round_robin", "kv_aware"], 2), SETTING, [0], told.append)
    judged = verdict(held)
    assert [row.arm for row in judged.rows] == ["round_robin", "kv_aware"]
    assert [bar.what for bar in judged.bars] == [
        "TTFT p50, kv_aware over round_robin",
        "busiest engine over the mean, round_robin",
        "busiest engine over the mean, kv_aware",
    ]
    assert told[1:] == ["multi_turn: round_robin, seed 0", "multi_turn: kv_aware, seed 0"]
