"""`kvdeck ctl decisions`, `decision` and `replay`."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from click.testing import CliRunner

from stack.cli.ctl import command
from stack.control.decision import DecisionRecord
from tests.stack.wiring.ctl.stand import RECORDED, control, run


def test_decisions_are_asked_for_with_what_narrows_them() -> None:
    with control() as server:
        done = run(server, "decisions", "--fallback", "any", "--status", "5xx", "--strategy", "session")
        assert (done.exit_code, server.asked) == (0, "limit=20&fallback=any&status=5xx&strategy=session")
        assert run(server, "decisions", "--since", "10m").exit_code == 0
        assert server.asked.startswith("limit=20&since=1")
        assert run(server, "decisions", "--since", "soon").exit_code == 2


def test_decisions_that_come_are_a_line_each() -> None:
    with control() as server:
        line = run(server, "decisions", "--follow").output
        (document,) = run(server, "decisions", "--follow", "--json").output.splitlines()
    assert "kv_aware  direct  decode-0  181  0  0.250  200  less_work (fallback: decode_retried)" in line
    assert msgspec.json.decode(document, type=DecisionRecord) == RECORDED


def test_one_decision_is_explained() -> None:
    with control() as server:
        said = run(server, "decision", "r-1").output
        document = run(server, "decision", "r-1", "--json").output
    for part in (
        "Path: straight to one decode engine, for a prompt of 181 tokens: the prompt is shorter than the threshold (181 < 512).",
        "Decode: decode-1 by kv_aware: less_work.",
        "It went otherwise: decode-0 answered.",
        "Not as configured: decode_retried.",
        "decode candidates, best first by work",
        "│ > │ decode-1 │         1 │    176 │   256 │  261 │",
        "│   │ decode-0 │         9 │      0 │     ? │    ? │",
        "and 7 others",
        "│ cached tokens, decode   │       176 │        0 │",
        "│ first token of decode-1 │   0.040 s │  0.250 s │",
        "Another candidate was believed to hold 16 more tokens of the prompt.",
        "│ session     │ decode-0 │ session_home │          -8 │ -0.125 s │",
        "│ round_robin │ the same │ turn         │           0 │  0.000 s │",
        "time: router 0.001 s, prefill 0.249 s",
    ):
        assert part in said
    assert msgspec.json.decode(document, type=DecisionRecord) == RECORDED


def test_recorded_decisions_are_decided_again(tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    whole = msgspec.structs.replace(RECORDED, decode=msgspec.structs.replace(RECORDED.decode, omitted=0))
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in (whole, RECORDED)))
    by_load = CliRunner().invoke(command, ["replay", str(file), "--by", "in_flight"])
    assert [cell.strip() for cell in by_load.output.splitlines()[-2].strip("│").split("│")] == [
        "kv_aware",
        "1",
        "1 (100 %)",
        "?",
        "?",
    ]
    rows = json.loads(CliRunner().invoke(command, ["replay", str(file), "--by", "cached_tokens", "--json"]).output)
    assert rows == [{"strategy": "kv_aware", "decisions": 1, "again": 1, "more_tokens": None, "sooner_seconds": None}]
    assert "no decision among several engines" in CliRunner().invoke(command, ["replay", str(file), "--by", "rank"]).output
    file.write_bytes(b"{")
    torn = CliRunner().invoke(command, ["replay", str(file)])
    assert (torn.exit_code, "line 1: " in torn.output) == (1, True)
