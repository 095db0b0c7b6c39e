"""The stores by their own word."""

from __future__ import annotations

from dashboard.caching import stores
from dashboard.promapi import Sample


def test_stores_of_one_name_in_two_fleets_are_two() -> None:
    told = [
        Sample({"namespace": name, "replica": "redis", "quantity": "keys"}, keys, 0.0) for name, keys in (("a", 1.0), ("b", 2.0))
    ]
    policies = [Sample({"namespace": "b", "replica": "redis", "policy": "noeviction"}, 1.0, 0.0)]
    frame = stores.words(told, policies)
    assert frame.loc["keys"].to_dict() == {"a / redis": "1", "b / redis": "2"}
    assert frame.loc["when full"].fillna("").to_dict() == {"a / redis": "", "b / redis": "noeviction"}
