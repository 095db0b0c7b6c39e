"""What is over waits for control in a bounded buffer, and what is lost is counted."""

import pytest
from msgspec.structs import replace

from stack.router.errand import Errand
from stack.router.identity import Identity
from stack.router.planning import Candidates
from stack.router.records import BYTES, CANDIDATE_BYTES, PIECE_BYTES, Batch, RecordBuffer
from tests.stack.router.errands import ROUTE, engine, errand


def _errand(number: int, pieces: int = 0) -> Errand:
    return errand(identity=Identity.named(str(number)), route=replace(ROUTE, prefix_hashes=tuple(range(pieces))))


def _ids(batch: Batch) -> list[str]:
    return [errand.identity.request_id for errand in batch.errands]


def test_records_stay_until_acknowledged() -> None:
    buffer = RecordBuffer(kept=10)
    for number in range(3):
        buffer.add(_errand(number))
    first = buffer.batch(2)
    assert _ids(first) == _ids(buffer.batch(2)) == ["0", "1"]
    buffer.acknowledge(first)
    second = buffer.batch(2)
    assert (_ids(second), first.first, second.first) == (["2"], 0, 2)


def test_the_oldest_are_dropped_and_counted_once() -> None:
    buffer = RecordBuffer(kept=2)
    for number in range(5):
        buffer.add(_errand(number))
    batch = buffer.batch(10)
    assert (_ids(batch), batch.dropped) == (["3", "4"], 3)
    buffer.acknowledge(batch)
    assert (len(buffer), buffer.batch(10).dropped, buffer.dropped_total) == (0, 0, 3)


def test_what_is_dropped_while_a_report_brings_it_is_neither_lost_nor_taken_off_twice() -> None:
    buffer = RecordBuffer(kept=2)
    buffer.add(_errand(0))
    buffer.add(_errand(1))
    batch = buffer.batch(10)
    buffer.add(_errand(2))
    buffer.acknowledge(batch)
    after = buffer.batch(10)
    assert (_ids(after), after.first, after.dropped, buffer.dropped_total) == (["2"], 2, 0, 1)


def test_what_is_dropped_behind_a_report_under_way_is_lost() -> None:
    buffer = RecordBuffer(kept=2)
    buffer.add(_errand(0))
    batch = buffer.batch(10)
    for number in range(1, 5):
        buffer.add(_errand(number))
    buffer.acknowledge(batch)
    after = buffer.batch(10)
    assert (_ids(after), after.first, after.dropped) == (["3", "4"], 3, 2)


def test_long_prompts_and_large_fleets_are_kept_for_fewer_requests() -> None:
    one = BYTES + 3 * CANDIDATE_BYTES
    buffer = RecordBuffer(kept=10, most_bytes=3 * one + 100 * PIECE_BYTES)
    for number in range(3):
        buffer.add(_errand(number))
    buffer.add(_errand(3, pieces=100))
    assert _ids(buffer.batch(10)) == ["1", "2", "3"]
    buffer.add(_errand(4, pieces=1000))
    assert (len(buffer), buffer.dropped_total) == (0, 5)


MANY = tuple(engine(f"e{number}") for number in range(100))


@pytest.mark.parametrize("candidates", [Candidates(prefill=(), decode=MANY), Candidates(prefill=MANY, decode=())])
def test_engines_of_either_pool_that_a_request_could_have_gone_to_count(candidates: Candidates) -> None:
    buffer = RecordBuffer(kept=10, most_bytes=2 * (BYTES + 100 * CANDIDATE_BYTES))
    for _ in range(3):
        buffer.add(errand(candidates=candidates))
    assert (len(buffer), buffer.dropped_total) == (2, 1)
