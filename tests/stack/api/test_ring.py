from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stack.api.ring import DecisionRing, Filter
from stack.control.decision import DecisionRecord
from stack.control.link import RouterReport
from tests.decisions import decision, disaggregated


def report(*decisions: DecisionRecord, **fields: Any) -> RouterReport:
    return RouterReport(id="r", version=1, generation=1, decisions=decisions, **fields)


def ids(ring: DecisionRing, limit: int = 10, **wanted: Any) -> list[str]:
    return [msgspec.json.decode(one)["request_id"] for one in ring.newest(limit, Filter(**wanted))]


def test_the_memory_of_decisions_is_bounded_in_bytes() -> None:
    size = len(msgspec.json.encode(decision(request_id="r0")))
    ring = DecisionRing(capacity_bytes=2 * size)
    ring.take(report(*(decision(request_id=f"r{number}", at=float(number)) for number in range(5)), dropped=1))
    ring.take(report(dropped=2))
    assert ids(ring) == ["r4", "r3"]
    assert (len(ring), ring.first, ring.last, ring.oldest_at, ring.dropped) == (2, 4, 5, 3.0, 3)


def test_a_decision_is_found_by_its_id_while_it_is_kept_and_the_newest_of_equal_ids_wins() -> None:
    size = len(msgspec.json.encode(decision(request_id="a", status=200)))
    ring = DecisionRing(capacity_bytes=2 * size)
    ring.take(report(decision(request_id="a"), decision(request_id="b"), decision(request_id="b", status=500)))
    found = ring.find("b")
    assert (ring.find("a"), found and found.status) == (None, "5xx")


def test_of_a_mirrored_request_the_decision_that_was_carried_out_is_found() -> None:
    ring = DecisionRing()
    ring.take(report(decision(request_id="a", observed=True), decision(request_id="a"), decision(request_id="a", observed=True)))
    ring.take(report(decision(request_id="b", observed=True)))
    a, b = ring.find("a"), ring.find("b")
    assert (a and a.observed, b and b.observed) == (False, True)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["c", "b", "a"]),
        ({"model": "other"}, []),
        ({"path": "dpd"}, ["b"]),
        ({"strategy": "session"}, ["c"]),
        ({"engine": "prefill-0"}, ["b"]),
        ({"engine": "decode-1"}, ["c"]),
        ({"fallback": "any"}, ["c"]),
        ({"fallback": "decode_retried"}, ["c"]),
        ({"fallback": "prefill_timeout"}, []),
        ({"status": "aborted"}, ["c"]),
        ({"since": 2.0}, ["c", "b"]),
        ({"observed": True}, []),
        ({"observed": False}, ["c", "b", "a"]),
    ],
)
def test_decisions_can_be_narrowed(wanted: dict[str, Any], expected: list[str]) -> None:
    ring = DecisionRing()
    retried = decision(request_id="c", at=3.0, strategy="session", engine="decode-1", fallbacks=("decode_retried",), status=499)
    ring.take(report(decision(request_id="a", at=1.0), disaggregated(request_id="b", at=2.0), retried))
    assert ids(ring, **wanted) == expected


def test_what_comes_is_told_once_and_can_be_read_on_from_anywhere() -> None:
    ring, told = DecisionRing(), list[str]()
    ring.listeners.append(lambda came: told.extend(entry.request_id for entry in came))
    ring.take(report(decision(request_id="a"), decision(request_id="b")))
    ring.take(report(decision(request_id="c")))
    assert told == ["a", "b", "c"]
    assert [entry.request_id for entry in ring.after(1, 10)] == ["b", "c"]
    assert [entry.request_id for entry in ring.after(0, 1)] == ["a"]
    assert ring.after(3, 10) == []


def test_what_is_sent_again_is_kept_told_and_counted_once() -> None:
    ring, told, read = DecisionRing(), list[str](), list[DecisionRecord]()
    ring.listeners.append(lambda came: told.extend(entry.request_id for entry in came))
    ring.readers.append(read.extend)
    a, b, c = (decision(request_id=name) for name in "abc")
    for _ in range(3):
        ring.take(report(a, b, dropped=3, life="1", first=3))
    ring.take(report(b, c, dropped=4, life="1", first=4))
    assert ids(ring) == ["c", "b", "a"]
    assert (told, [record.request_id for record in read], ring.dropped) == (["a", "b", "c"], ["a", "b", "c"], 3)


def test_readers_are_given_the_records_themselves() -> None:
    ring, read = DecisionRing(capacity_bytes=1), list[DecisionRecord]()
    ring.readers.append(read.extend)
    ring.take(report(decision(request_id="a"), decision(request_id="b")))
    assert [record.request_id for record in read] == ["a", "b"]
