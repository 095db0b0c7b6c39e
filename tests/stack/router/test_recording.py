"""A record tells the whole request: what was known, chosen, expected and measured."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from stack.control.decision import Candidate, DecisionRecord, Selection
from stack.model.placement import Placement, UnknownReason
from stack.model.plan import Choice
from stack.router.planning import Candidates
from stack.router.recording import record_of
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
