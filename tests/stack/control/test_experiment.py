"""What may be tried, how requests are counted, and what comes of it."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from stack.control.candidate import candidate
from stack.control.decide import decide
from stack.control.decision import Arm, DecisionRecord, Selection
from stack.control.experiment import Experiment, Goal, Guardrails, Measure, Proposal, Stage, proposed
from stack.control.refusal import RefusedError
from stack.control.tally import OPEN_MOST, Tally, Unit
from stack.control.tiers import StoreSeen
from stack.control.verdict import UNITS_LEAST, Finding, Ruling, findings, ruling
from tests.stack.control.samples import FLEET, STRATEGIES, desired, model

PROPOSAL = Proposal(candidate={"strategy": "kv_aware"}, share=0.5, samples=800)
EXPERIMENT = Experiment(
    id="e1",
    model="m",
    generation=3,
    proposal=PROPOSAL,
    control=model(),
    candidate=model(strategy="kv_aware"),
    diff=(),
    actor="ann",
    began_at=1_000.0,
)


def record(arm: Arm | None = Arm.CONTROL, unit: str | None = "u1", **fields: Any) -> DecisionRecord:
    """A request that took a tenth of a second to its first of eleven tokens, and one for the rest."""
    plain: dict[str, Any] = {
        "request_id": "r1",
        "at": 1_000.0,
        "generation": 3,
        "model": "m",
        "prompt_tokens": 10,
        "tokens_exact": True,
        "path": "direct",
        "threshold": 512,
        "decode": Selection(strategy="session", engine="d", reason="home"),
        "engine": "d",
        "status": 200,
        "experiment": None if arm is None else "e1",
        "arm": arm,
        "unit": unit,
        "ttft_seconds": 0.1,
        "total_seconds": 1.1,
        "output_tokens": 11,
    }
    return DecisionRecord(**plain | fields)


def asked(candidate_ttft: float = 1.0, sessions: int = 500, seed: int = 4, failing: float = 0.0, **fields: Any) -> Tally:
    """Requests without sessions, each its own: the candidate's first token takes `candidate_ttft` times as long."""
    random, tally = Random(seed), Tally.of(PROPOSAL)
    for number in range(sessions):
        arm = Arm.CANDIDATE if random.random() < PROPOSAL.share else Arm.CONTROL
        ttft = random.lognormvariate(-2.0, 0.5) * (candidate_ttft if arm is Arm.CANDIDATE else 1.0)
        status = 502 if arm is Arm.CANDIDATE and random.random() < failing else 200
        seen = {"ttft_seconds": ttft, "total_seconds": ttft + 1.0, "status": status} | fields
        tally.take(record(arm, None, request_id=f"r{number}", **seen), 1_000.0)
    return tally


@pytest.mark.parametrize(
    ("patch", "field", "words"),
    [
        (
            {"pools": {"decode": {"replicas": 3}}},
            "models.smollm2.pools.decode.replicas",
            "so no share of the sessions can try it; allowed: strategy",
        ),
        ({"limits": {"in_flight": 3}}, "models.smollm2.limits.in_flight", "limits.in_flight holds for all requests"),
        ({"strategy": "kv_aware", "eject_stalled": True}, "models.smollm2.eject_stalled", "eject_stalled holds"),
        ({"strategy": "prefix_aware"}, "candidate", "nothing to compare"),
    ],
)
def test_only_what_routers_decide_by_can_be_tried(patch: dict[str, Any], field: str, words: str) -> None:
    before = desired()
    with pytest.raises(RefusedError, match=words) as refusal:
        candidate(before, decide(patch, before, FLEET, STRATEGIES))
    assert refusal.value.field == field


def test_what_is_the_whole_fleets_cannot_be_tried() -> None:
    before, seen = desired(), StoreSeen(maxmemory_bytes=0, eviction_policy="noeviction", used_bytes=0)
    patch = {"tiers": {"l2": {"store": {"eviction_policy": "allkeys-lru"}}}}
    with pytest.raises(RefusedError, match="holds for the whole fleet") as refusal:
        candidate(before, decide(patch, before, FLEET, STRATEGIES, store=seen))
    assert refusal.value.field == "tiers.l2.store.eviction_policy"


def test_the_candidate_is_the_model_as_it_would_be() -> None:
    before = desired()
    patch = {
        "strategy": "kv_aware",
        "dpd": {"routing_threshold": 99},
        "pools": {"prefill": {"strategy": "session", "parameters": {"session": {"load_factor": 2.0}}}},
    }
    decision = decide(patch, before, FLEET, STRATEGIES)
    assert candidate(before, decision) == ("smollm2", decision.desired.models["smollm2"])


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"candidate": {}}, "samples"),
        ({"candidate": {}, "samples": 10}, "samples"),
        ({"candidate": {}, "samples": 1_000, "share": 1.5}, "share"),
        ({"candidate": {}, "samples": 1_000, "guardrails": {"speed": 1}}, "guardrails.speed"),
        ({"candidate": {}, "samples": 1_000, "goal": {"measure": "luck"}}, "goal.measure"),
        ({"candidate": [], "samples": 1_000}, "candidate"),
    ],
)
def test_a_proposal_is_refused_by_its_field(document: object, field: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        proposed(document)
    assert refusal.value.field == field


def test_a_session_counts_once_when_it_went_quiet() -> None:
    tally = Tally.of(PROPOSAL)
    tally.take(record(ttft_seconds=0.1), 1_000.0)
    tally.take(record(ttft_seconds=0.4), 1_010.0)
    tally.settle(1_010.0 + PROPOSAL.sessions.idle_seconds - 1)
    assert tally.units == [0, 0]
    tally.settle(1_010.0 + PROPOSAL.sessions.idle_seconds)
    tally.take(record(), 1_200.0)
    tally.settle(2_000.0)
    assert (tally.units, tally.requests, tally.ttft.count) == ([1, 0], [3, 0], [1, 0])
    ttft = findings(PROPOSAL, tally)[0].control
    assert ttft == pytest.approx(0.2)


def test_a_session_that_goes_on_counts_after_enough_requests() -> None:
    tally = Tally.of(PROPOSAL)
    for _ in range(PROPOSAL.sessions.requests):
        tally.take(record(Arm.CANDIDATE, status=500), 1_000.0)
    assert (tally.units, tally.failed.sums, tally.open) == ([0, 1], [0.0, 1.0], {})


def test_a_request_without_a_session_counts_at_once_and_its_repetition_does_not() -> None:
    tally = Tally.of(PROPOSAL)
    tally.take(record(unit=None), 1_000.0)
    tally.take(record(unit=None), 1_000.0)
    assert tally.units == [1, 0]


def test_a_client_that_gave_up_waiting_waited_at_least_so_long() -> None:
    tally = Tally.of(PROPOSAL)
    tally.take(record(Arm.CANDIDATE, None, status=499, ttft_seconds=None, total_seconds=30.0, output_tokens=None), 1_000.0)
    assert findings(PROPOSAL, tally)[0].candidate == pytest.approx(30.0)
    assert tally.failed.count == [0, 0]


def test_requests_of_no_arm_and_those_of_other_gateways_are_not_counted() -> None:
    tally = Tally.of(PROPOSAL)
    tally.take(record(None), 1_000.0)
    tally.take(record(observed=True), 1_000.0)
    assert tally == Tally.of(PROPOSAL)


def test_no_more_sessions_are_waited_for_than_there_is_room_for() -> None:
    tally = Tally.of(PROPOSAL)
    tally.open = dict.fromkeys(map(str, range(OPEN_MOST)), Unit(candidate=False, last=1_000.0))
    tally.take(record(), 1_000.0)
    assert (tally.left_out, len(tally.open)) == (1, OPEN_MOST)


def test_a_tally_is_kept_and_read_again_whole() -> None:
    tally = asked(sessions=60)
    tally.take(record(unit="u9"), 1_000.0)
    assert msgspec.json.decode(msgspec.json.encode(tally), type=Tally) == tally


def test_a_candidate_that_is_better_is_promoted() -> None:
    found = ruling(EXPERIMENT, asked(0.7), 1_010.0)
    assert found is not None
    assert found.stage is Stage.PROMOTED
    assert found.reason.startswith("ttft is better: 0.6")


def test_a_candidate_that_is_worse_is_rolled_back() -> None:
    found = ruling(EXPERIMENT, asked(1.6), 1_010.0)
    assert found is not None
    assert found.stage is Stage.ROLLED_BACK
    assert found.reason.startswith("ttft is worse than tolerated: 1.5")


def test_a_candidate_that_fails_requests_is_rolled_back_though_it_is_fast() -> None:
    found = ruling(EXPERIMENT, asked(0.7, failing=0.2), 1_010.0)
    assert found is not None
    assert (found.stage, found.reason.split(":")[0]) == (Stage.ROLLED_BACK, "failed is worse than tolerated")


def test_equal_arms_go_on_until_all_samples_are_in_and_then_stop() -> None:
    assert ruling(EXPERIMENT, asked(), 1_010.0) is None
    found = ruling(EXPERIMENT, asked(sessions=800), 1_010.0)
    assert found is not None
    assert (found.stage, found.reason.split(" (")[0]) == (Stage.STOPPED, "all samples are in: ttft is not proven better")


def test_time_that_is_up_ends_it() -> None:
    limited = replace(EXPERIMENT, proposal=replace(PROPOSAL, duration_seconds=60.0))
    assert ruling(limited, asked(), 1_059.0) is None
    assert ruling(limited, Tally.of(PROPOSAL), 1_060.0) == Ruling(
        Stage.STOPPED, "its time is up: ttft is not proven better (nothing is known of it yet)"
    )


def test_too_few_samples_are_never_promoted_however_clear_they_look() -> None:
    tally = asked(0.05, sessions=UNITS_LEAST + 20)
    finding = findings(PROPOSAL, tally)[0]
    assert finding.high is not None
    assert finding.high < 1.0
    assert ruling(EXPERIMENT, tally, 1_010.0) is None


def test_what_is_not_known_of_a_guarded_measure_holds_a_promotion_back() -> None:
    tally = asked(0.5, output_tokens=None)
    assert ruling(EXPERIMENT, tally, 1_010.0) is None
    unguarded = replace(PROPOSAL, guardrails=Guardrails(gap=None))
    found = ruling(replace(EXPERIMENT, proposal=unguarded), tally, 1_010.0)
    assert found is not None
    assert found.stage is Stage.PROMOTED


def test_failures_can_be_the_goal() -> None:
    goal = replace(PROPOSAL, goal=Goal(measure=Measure.FAILED))
    assert Tally.of(goal).failed.wagers
    assert ruling(replace(EXPERIMENT, proposal=goal), asked(), 1_010.0) is None


def test_findings_tell_what_is_unknown() -> None:
    gap = findings(PROPOSAL, Tally.of(PROPOSAL))[1]
    assert gap == Finding(measure=Measure.GAP, control_sessions=0, candidate_sessions=0, limit=1.1)
