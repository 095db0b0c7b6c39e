"""A search for engines leaves those that fit all of it."""

from __future__ import annotations

from dashboard.fleet.name import Name
from dashboard.fleet.search import Search
from dashboard.fleet.seen import Engine, engines
from dashboard.fleet.told import Listed
from stack.fleet.engine import State
from tests.dashboard.fleet.samples import DECODE, PREFILL, view

LISTED = {Name(DECODE, "decode-0"): Listed(age=2.0, version="0.32"), Name(DECODE, "decode-9"): Listed(health="not_ready")}


def names(found: list[Engine]) -> list[str]:
    return [engine.name for engine in found]


def test_a_search_leaves_what_fits_all_of_it() -> None:
    found = engines([view("decode-0"), view("decode-1", State.DOWN), view("prefill-0")], LISTED)
    assert names(Search(place=PREFILL).of(found)) == ["prefill-0"]
    assert names(Search(states=frozenset({"down"})).of(found)) == ["decode-1", "decode-9"]
    assert names(Search(text="0.32").of(found)) == ["decode-0"]
    assert names(Search(text="HTTP://decode").of(found)) == ["decode-1", "decode-0"]
    assert names(Search(model="another").of(found)) == []
