"""A record tells the whole request: what was known, chosen, expected and measured."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from stack.control.decision import Candidate, DecisionRecord, Selection, ShadowChoice
from stack.engines.answer_facts import AnswerFacts
from stack.model.chunk import CacheDoubt
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.model.tier import Tier
from stack.router.phases import Timeline
from stack.router.planning import Candidates
from stack.router.recording import record_of
from stack.strategies.shadow import Shadow
from tests.stack.router.errands import ROUTE, chosen, engine, errand

RECORD = DecisionRecord(
    request_id="r1",
    at=1700000000.0,
    generation=3,
    model="m",
    session="5e55",
    prompt_tokens=700,
    tokens_exact=True,
    probe_age_seconds=0.25,
    placement_age_seconds=0.5,
    oldest_placement_seconds=2.0,
    path="dpd",
    path_reason="at_threshold",
    compared="700 >= 512",
    threshold=512,
    decode=Selection(
        strategy="session",
        engine="decode-0",
        reason="home",
        fallback="no_session_key",
        expected_cached_tokens=32,
        ranked_by="rank",
        candidates=(
            Candidate(engine="decode-1", in_flight=1, scores={"rank": 0.0}),
            Candidate(engine="decode-0", in_flight=2, cached_tokens=32, scores={"rank": 1.0}),
        ),
    ),
    prefill=Selection(
        strategy="session", engine="prefill-0", reason="home", candidates=(Candidate(engine="prefill-0", cached_tokens=128),)
    ),
    fallbacks=("no_session_key",),
    engine="decode-0",
    prefill_engine="prefill-0",
    status=200,
    streamed=True,
    cached_tokens=688,
    prefill_cached_tokens=128,
    peer_cached_tokens=656,
    output_tokens=3,
    ttft_seconds=1.5,
    total_seconds=2.5,
    phases={"router": 0.0, "prefill": 1.0, "decode_queue": 0.25, "first_step": 0.25, "decode": 1.0},
    regret_tokens=0,
    index_error_tokens=0,
    engine_ttft_seconds=1.0,
)


def test_the_record_tells_the_whole_request() -> None:
    assert record_of(errand()) == RECORD


def test_a_record_comes_back_from_json_as_it_was() -> None:
    assert msgspec.json.decode(msgspec.json.encode(RECORD), type=DecisionRecord) == RECORD


def test_what_is_not_known_is_left_out() -> None:
    route = replace(ROUTE, placement=Placement(unknown_reason=UnknownReason.NO_TOKENIZER))
    record = record_of(errand(route=route, probed_at=None))
    assert record.unknown_placement == UnknownReason.NO_TOKENIZER
    assert (record.probe_age_seconds, record.placement_age_seconds, record.oldest_placement_seconds) == (None, None, None)
    assert record.peer_cached_tokens is None
    assert [candidate.cached_tokens for candidate in record.decode.candidates] == [None, None]


def test_of_a_large_fleet_the_best_and_the_chosen_one_are_kept_and_the_rest_is_counted() -> None:
    names = [f"decode-{number}" for number in range(300)]
    scores = {name: {"work": float(-number)} for number, name in enumerate(names)}
    choice = Choice("decode-3", reason="home", scores=scores, ranked_by="work")
    kept = record_of(chosen(choice, Candidates((), tuple(engine(name) for name in names)))).decode
    assert [candidate.engine for candidate in kept.candidates] == [f"decode-{n}" for n in range(299, 283, -1)] + ["decode-3"]
    assert kept.omitted == 283


def test_candidates_without_scores_are_ranked_by_load() -> None:
    fleet = Candidates((), (engine("a", in_flight=3), engine("b", in_flight=1), engine("c", in_flight=2)))
    kept = record_of(chosen(Choice("a", reason="turn"), fleet)).decode
    assert [(candidate.engine, candidate.in_flight) for candidate in kept.candidates] == [("b", 1), ("c", 2), ("a", 3)]


def _direct(choice: Choice, **fields: Any) -> DecisionRecord:
    two = Candidates((), (engine("decode-0"), engine("decode-1")))
    placed = Placement({"decode-0": EnginePlacement(32), "decode-1": EnginePlacement(256, None)}, 700)
    made = chosen(choice, two)
    made.route = replace(ROUTE, placement=placed)
    for name, value in fields.items():
        setattr(made, name, value)
    return record_of(made)


def test_regret_is_what_the_best_candidate_was_believed_to_hold_beyond_the_chosen_one() -> None:
    assert _direct(Choice("decode-0", reason="turn")).regret_tokens == 224
    assert _direct(Choice("decode-1", reason="turn")).regret_tokens == 0


def test_the_index_error_is_predicted_minus_measured_where_a_prediction_was_made_and_the_chosen_engine_answered() -> None:
    measured = AnswerFacts(cached_tokens=48)
    assert _direct(Choice("decode-0", reason="turn"), facts=measured).index_error_tokens == -16
    assert _direct(Choice("decode-1", reason="turn"), facts=measured).index_error_tokens is None  # a tier nobody can tell about
    assert _direct(Choice("decode-0", reason="turn"), facts=measured, engine="decode-1").index_error_tokens is None


def test_the_predicted_first_token_is_held_against_the_engines_own() -> None:
    choice = Choice("decode-0", reason="turn", predicted_ttft_s=0.75)
    seen = _direct(choice)
    assert (seen.engine_ttft_seconds, seen.ttft_error_seconds, seen.ttft_seconds) == (0.5, 0.25, 1.5)
    said = _direct(choice, timeline=Timeline(1.0, decode_sent=2.0), facts=AnswerFacts(queue_s=0.5, first_token_s=0.5))
    assert (said.engine_ttft_seconds, said.ttft_error_seconds) == (1.0, -0.25)
    assert _direct(choice, engine="decode-1").engine_ttft_seconds is None


def test_what_others_would_have_chosen_is_in_the_record() -> None:
    record = record_of(errand(shadows=(Shadow("round_robin", "prefill-1", "turn", False, -96, 0.25),)))
    assert record.shadows == (
        ShadowChoice(
            strategy="round_robin", engine="prefill-1", reason="turn", agrees=False, gained_tokens=-96, gained_seconds=0.25
        ),
    )


def test_a_candidate_tells_why_its_cached_tokens_may_be_others() -> None:
    placed = EnginePlacement(16, l2_tokens=None, partial_seconds=34.4, ranks=8, doubts=((Tier.L2, CacheDoubt.STORE_EVICTED),))
    record = record_of(errand(route=replace(ROUTE, placement=Placement({"decode-0": placed}))))
    told = {candidate.engine: candidate.doubts for candidate in record.decode.candidates}
    assert told["decode-0"] == ("engine: partial for 34 s", "engine: the best of 8 ranks", "l2: store_evicted")


def test_the_ages_of_the_lower_tiers_are_those_that_are_known() -> None:
    held = Placement({"decode-0": EnginePlacement(32, age_seconds=0.5, l1_age_seconds=1.5)}, 700)
    assert record_of(errand(route=replace(ROUTE, placement=held))).tier_age_seconds == {"l1": 1.5}
