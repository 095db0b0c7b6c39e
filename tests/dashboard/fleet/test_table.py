"""Engines as rows."""

import math

from dashboard.fleet.name import Name
from dashboard.fleet.seen import engines
from dashboard.fleet.table import table
from dashboard.fleet.told import Listed
from dashboard.sites import Site
from tests.dashboard.fleet.samples import DECODE, view


def test_a_row_says_how_old_what_is_known_is_and_what_is_not() -> None:
    (row,) = table(engines([view("decode-0", in_flight=3)], {Name(DECODE, "decode-0"): Listed(age=4.2, version="0.32")})).to_dict(
        "records"
    )
    known = {name: row[name] for name in ("engine", "state", "health", "looked at", "in flight", "version", "read", "url")}
    assert known == {
        "engine": "decode-0", "state": "ready", "health": "ready", "looked at": 2.0, "in flight": 3, "version": "0.32",
        "read": "4 s ago", "url": "http://decode-0",
    }  # fmt: skip
    assert row["KV used"] is None or math.isnan(row["KV used"])


def test_what_could_not_read_an_engine_is_named() -> None:
    rows = table(engines([view("decode-0"), view("decode-1")], {Name(DECODE, "decode-1"): Listed(age=1.0, unread=("engines",))}))
    assert rows[["engine", "read"]].to_dict("records") == [
        {"engine": "decode-1", "read": "failed: engines"},
        {"engine": "decode-0", "read": "not listed by the exporter"},
    ]


def test_where_an_engine_is_is_told_where_there_are_several_places() -> None:
    found = {Name(DECODE, "decode-0", Site(name)): Listed(age=1.0, health="ready") for name in ("east", "west")}
    rows = table(engines([view("decode-1")], found))
    assert rows[["engine", "where"]].to_numpy().tolist() == [["decode-0", "east"], ["decode-0", "west"], ["decode-1", ""]]
    assert "where" not in table(engines([view("decode-1")], {Name(DECODE, "decode-0", Site("east")): Listed(age=1.0)}))
