"""What is known of one engine, and by whom."""

from dashboard.fleet.detail import facts
from dashboard.fleet.name import Name
from dashboard.fleet.seen import NAMESAKE, engines
from dashboard.fleet.told import Listed
from dashboard.sites import Site
from stack.fleet.engine import State
from tests.dashboard.fleet.samples import DECODE, view


def test_every_fact_says_who_says_so() -> None:
    known = engines([view("decode-0", State.DOWN, in_flight=None)], {Name(DECODE, "decode-0"): Listed(age=3.0, version="0.32")})
    assert facts(known).to_numpy().tolist() == [
        ["role", "decode of smollm2", "control"],
        ["state", "down", "control"],
        ["health", "not ready, looked at 2 s ago", "routers"],
        ["requests in flight", "unknown", "routers"],
        ["version", "0.32", "exporter"],
        ["read", "3 s ago", "exporter"],
        ["emulated", "unknown", "target list"],
        ["address", "http://decode-0", "target list"],
    ]


def test_what_prometheus_does_not_answer_is_unknown() -> None:
    known = engines([view("decode-0")], None)
    said = {what: told for what, told, _ in facts(known).to_numpy()}
    assert (said["version"], said["read"]) == ("unknown", "unknown")


def test_of_several_of_one_name_each_begins_with_where_it_is() -> None:
    found = {
        Name(DECODE, "decode-0", Site(name)): Listed(version=version) for name, version in (("east", "0.32"), ("west", "0.31"))
    }
    said = facts(engines([view("decode-0")], found))
    told = [row[1] for row in said.to_numpy().tolist() if row[0] in ("where", "version", "remarks")]
    assert told == ["east", "0.32", NAMESAKE, "west", "0.31", NAMESAKE]
