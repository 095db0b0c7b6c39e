"""A change that was lost, made up or half applied is found; so is a request that went by none that is known."""

from __future__ import annotations

from collections import Counter

import msgspec

from stack.bench.changes.asker import Said
from stack.bench.changes.changer import Journal
from stack.bench.changes.documents import Documents
from stack.bench.changes.proposals import Patch
from stack.bench.changes.verdict import mixed, unsound
from stack.control.audit import AuditRecord
from tests.stack.bench.changes.samples import START, applied, patched
from tests.stack.bench.changes.test_consistency import TOLD

FIRST, SECOND = {"dpd": {"routing_threshold": 64}}, {"strategy": "kv_aware"}
HISTORY = [applied(4, START, FIRST, "bench 1"), applied(5, patched(START, FIRST), SECOND, "bench 2")]


def journal(**answered: int) -> Journal:
    sent: dict[str, Patch] = {f"bench {number}": {"models": {"m": patch}} for number, patch in enumerate((FIRST, SECOND), 1)}
    return Journal(sent=sent, answered={name.replace("_", " "): number for name, number in answered.items()})


def known(records: list[AuditRecord]) -> Documents:
    documents = Documents(3, START)
    documents.add(records)
    return documents


def test_a_history_that_tells_what_was_asked_for_is_sound() -> None:
    assert list(unsound(journal(bench_1=4, bench_2=5), HISTORY, known(HISTORY))) == []
    assert list(unsound(journal(bench_1=4), HISTORY, known(HISTORY))) == []  # the second one took effect without an answer


def test_a_change_that_was_answered_and_is_gone_is_lost() -> None:
    assert list(unsound(journal(bench_1=4, bench_2=5), HISTORY[:1], known(HISTORY[:1]))) == [
        "bench 2 was answered with generation 5 and is not in the history"
    ]


def test_a_generation_that_is_not_what_was_asked_for_is_half_applied() -> None:
    half = [applied(4, START, {"dpd": {"routing_threshold": 63}}, "bench 1")]
    assert list(unsound(journal(bench_1=4), half, known(half))) == [
        "generation 4 is not what was asked for: {'models': {'m': {'dpd': {'routing_threshold': 64}}}}"
    ]


def test_a_way_back_leads_to_the_very_document_of_then() -> None:
    back = applied(6, patched(patched(START, FIRST), SECOND), {"strategy": "session"}, "bench 3")
    history = [*HISTORY, back]
    asked = journal(bench_1=4, bench_2=5, bench_3=6)
    asked.back["bench 3"] = 4
    assert list(unsound(asked, history, known(history))) == []
    asked.back["bench 3"] = 5
    assert list(unsound(asked, history, known(history))) == ["generation 6 is not what was asked for: back to 5"]


def test_a_strangers_change_one_without_effects_and_a_hole_are_told() -> None:
    silent = [applied(4, START, FIRST, "someone else's"), msgspec.structs.replace(HISTORY[1], generation=6, effects=())]
    assert list(unsound(journal(bench_2=6), silent, known(silent))) == [
        "generation 4 is by bench: the stack is needed for itself",
        "generation 6 has no effects",
        "the history has a hole after generation 4",
    ]


def test_requests_that_mixed_generations_are_counted_by_what_they_mixed() -> None:
    told = Counter({TOLD: 5, TOLD._replace(threshold=64): 2, TOLD._replace(generation=9): 1})
    said = Counter({Said("3", "session"): 7, Said("5", "session"): 3, Said("8", "session"): 1, Said(None, None): 1})
    assert mixed("m", told, said, known(HISTORY)) == {
        "generation 3: routing_threshold 64, not 512": 2,
        "generation 9: it is not in the history": 1,
        "an answer of generation 5 by session, not kv_aware": 3,
        "an answer of generation 8, which is not in the history": 1,
        "an answer without its generation": 1,
    }
