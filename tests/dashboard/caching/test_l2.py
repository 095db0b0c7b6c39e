"""Both sides of L2, a fleet at a time."""

from __future__ import annotations

from datetime import UTC, datetime

from dashboard.asking import Answers
from dashboard.caching import l2, truth
from dashboard.caching.truth import Finding, Sides
from dashboard.promapi import Sample
from dashboard.sites import Site


def _of(namespace: str, value: float, **labels: str) -> Sample:
    return Sample({"namespace": namespace, **labels}, value, 0.0)


TOLD = {
    "stores": [
        _of("a", 3.0, replica="redis", quantity="evicted"),
        _of("a", 0.95, replica="redis", quantity="full"),
        _of("b", 0.2, replica="redis", quantity="full"),
    ],
    "held": [_of("a", 1.0), _of("b", 0.5)],
    "not found now": [],
    "policies": [_of("a", 1.0, replica="redis", policy="allkeys-lru"), _of("b", 1.0, replica="redis", policy="noeviction")],
    "strayed": [_of("b", 1.0, replica="lmcache-0", state="different")],
}


def test_the_sides_of_two_fleets_are_not_mixed() -> None:
    fleets = l2.sides(Answers(datetime.fromtimestamp(0, UTC), TOLD))
    assert fleets == {
        Site("", "a"): Sides(1.0, 3.0, None, {"redis": "allkeys-lru"}, {"redis": 0.95}, {}),
        Site("", "b"): Sides(0.5, None, None, {"redis": "noeviction"}, {"redis": 0.2}, {"lmcache-0": "different"}),
    }
    short = "The stores hold 50 % of the bytes that LMCache believes to have there."
    assert truth.everywhere(fleets) == [
        Finding(True, "`b`: Another L2 is used than was meant by `--l2.expected-url`: `lmcache-0`."),
        Finding(False, "`a`: `redis` is 95 % full; once it is, it drops KV by itself, unknown to LMCache (`allkeys-lru`)."),
        Finding(False, f"`b`: {short} Servers that share a store may count a chunk twice."),
    ]


def test_where_nobody_tells_anything_there_is_no_fleet() -> None:
    assert l2.sides(Answers(datetime.fromtimestamp(0, UTC), {name: [] for name in TOLD})) == {}
