"""What is known of one engine, and by whom."""

from dashboard.fleet.close import facts
from dashboard.fleet.seen import engines
from dashboard.fleet.told import Listed
from stack.fleet.engine import State
from tests.dashboard.fleet.samples import DECODE, view


def test_every_fact_says_who_says_so() -> None:
    (engine,) = engines([view("decode-0", State.DOWN, in_flight=None)], {(DECODE, "decode-0"): Listed(age=3.0, version="0.32")})
    assert facts(engine).to_numpy().tolist() == [
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
    (engine,) = engines([view("decode-0")], None)
    known = {what: told for what, told, _ in facts(engine).to_numpy()}
    assert (known["version"], known["read"]) == ("unknown", "unknown")
