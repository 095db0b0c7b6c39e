"""Records wait for control in a bounded buffer, and what is lost is counted."""

from stack.control.decision import DecisionRecord
from stack.router.draft import Draft
from stack.router.records import RecordBuffer
from tests.decisions import decision


def _record(number: int) -> Draft:
    return Draft(decision(request_id=str(number)))


def _ids(records: tuple[DecisionRecord, ...]) -> list[str]:
    return [record.request_id for record in records]


def test_records_stay_until_acknowledged() -> None:
    buffer = RecordBuffer(kept=10)
    for number in range(3):
        buffer.add(_record(number))
    first = buffer.batch(2)
    assert _ids(first.records) == _ids(buffer.batch(2).records) == ["0", "1"]
    buffer.acknowledge(first)
    assert _ids(buffer.batch(2).records) == ["2"]


def test_the_oldest_are_dropped_and_counted_once() -> None:
    buffer = RecordBuffer(kept=2)
    for number in range(5):
        buffer.add(_record(number))
    batch = buffer.batch(10)
    assert (_ids(batch.records), batch.dropped) == (["3", "4"], 3)
    buffer.acknowledge(batch)
    assert (len(buffer), buffer.batch(10).dropped, buffer.dropped_total) == (0, 0, 3)


def test_records_that_were_dropped_while_a_report_was_under_way_are_not_taken_off_twice() -> None:
    buffer = RecordBuffer(kept=2)
    buffer.add(_record(0))
    buffer.add(_record(1))
    batch = buffer.batch(10)
    buffer.add(_record(2))
    buffer.acknowledge(batch)
    assert _ids(buffer.batch(10).records) == ["2"]
    assert buffer.batch(10).dropped == 1
