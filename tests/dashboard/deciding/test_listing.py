"""The list of decisions."""

from __future__ import annotations

from dashboard.deciding.listing import named


def test_requests_have_short_names_unless_two_would_be_named_alike() -> None:
    alike = ["order-17-retry-2026-11-30-0000001", "order-18-retry-2026-11-30-0000001"]
    assert named(["r-1", "209a7cdb1d9cedfcb85fd02c32efc2f7", *alike]) == {
        "r-1": "r-1",
        "209a7cdb1d9cedfcb85fd02c32efc2f7": "209a…2c32efc2f7",
        **{one: one for one in alike},
    }


def test_a_request_that_is_listed_twice_is_one() -> None:
    assert named(["r-1", "r-1"]) == {"r-1": "r-1"}
