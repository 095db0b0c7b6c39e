"""Failures of transfers by kind: late ones may have made an answer wrong, lost ones cost time."""

from __future__ import annotations

from dashboard.promapi import Sample
from dashboard.transfers.moving import KINDS, kinds
from stack.engines.vllm_transfers import pull_failures


def failed(reason: str, count: float) -> Sample:
    return Sample({"transport": "nixl", "reason": reason}, count, 0.0)


def test_what_is_late_comes_before_what_is_lost() -> None:
    found = kinds([failed("expired", 2.2), failed("late_notification", 1.0), failed("expired", 1.0), failed("transfer", 0.0)])
    assert found[["kind", "fate", "count"]].to_dict("records") == [
        {"kind": "late_notification", "fate": "late", "count": "1"},
        {"kind": "expired", "fate": "lost", "count": "3"},
    ]


def test_a_reason_that_nobody_knows_is_told_as_that() -> None:
    assert kinds([failed("brand_new", 3.0)]).iloc[0]["fate"] == "unknown"
    assert kinds([]).empty


def test_every_reason_that_engines_tell_has_its_meaning() -> None:
    assert pull_failures() <= KINDS.keys()
