"""What was desired when, out of the audit log alone."""

from __future__ import annotations

from stack.bench.changes.documents import Documents
from stack.control.audit import AuditRecord, Outcome
from tests.stack.bench.changes.samples import START, applied, patched

FIRST = {"dpd": {"routing_threshold": 64}, "session_keys": []}
SECOND = {"pools": {"decode": {"strategy": "kv_aware"}}}
MIDDLE = patched(START, FIRST)
REFUSED = AuditRecord(at=1.0, actor="bench", outcome=Outcome.REFUSED, generation=8, error="no")


def test_the_differences_lead_from_the_first_document_to_the_last() -> None:
    documents = Documents(7, START)
    documents.add([applied(9, MIDDLE, SECOND), REFUSED, applied(8, START, FIRST)])  # newest first, as control tells them
    assert (documents.last, documents.beyond) == (9, ())
    fields = {name: documents.of(name) or {} for name in (7, 8, 9)}
    assert [fields[name]["models.m.dpd.routing_threshold"] for name in (7, 8, 9)] == [512, 64, 64]
    assert [fields[name]["models.m.pools.decode.strategy"] for name in (7, 8, 9)] == [None, None, "kv_aware"]
    assert fields[8]["models.m.session_keys"] == ""
    assert documents.explain(patched(MIDDLE, SECOND))
    assert not documents.explain(MIDDLE)


def test_pages_of_the_log_may_overlap() -> None:
    documents = Documents(7, START)
    documents.add([applied(8, START, FIRST)])
    documents.add([applied(8, START, FIRST), applied(9, MIDDLE, SECOND)])
    assert documents.explain(patched(MIDDLE, SECOND))


def test_what_follows_no_known_generation_is_a_hole() -> None:
    documents = Documents(7, START)
    documents.add([applied(9, MIDDLE, SECOND)])
    assert (documents.last, documents.beyond, documents.of(9)) == (7, (9,), None)
