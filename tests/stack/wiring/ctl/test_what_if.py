"""`kvdeck ctl what-if` tells what a threshold would have done, and how to apply one."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from click.testing import CliRunner

from stack.api.what_if_words import apply, heading
from stack.cli.ctl import command
from stack.control.decision import Candidate, Selection
from stack.control.state import Dpd
from stack.control.what_if import what_if
from tests.decisions import decision, disaggregated
from tests.stack.wiring.ctl.stand import DECIDED, control, run


def test_each_threshold_has_a_row_and_the_command_that_applies_one_follows() -> None:
    with control() as server:
        told = run(server, "what-if", "0", "512").output
        assert server.asked == "threshold=0&threshold=512"
        assert "smollm2: 80 requests in 39 s; threshold now 512; 1 prefill engines, a prefill takes 100 ms (100 to 100)" in told
        assert "and 500 microseconds a token (500 to 500) on prefill engines" in " ".join(told.split())
        assert "512 (now)" in told
        assert "saturated" in told
        assert "1,024 to 2,047" in told
        assert "-300 ms" in told
        assert "To apply one: kvdeck ctl set --model smollm2 dpd.routing_threshold=THRESHOLD\n" in told


def test_the_least_uncached_tokens_are_tried_and_applied_with_the_threshold() -> None:
    with control() as server:
        run(server, "what-if", "512", "--min-uncached-tokens", "64")
        assert server.asked == "threshold=512&min_uncached_tokens=64"
    view = what_if("smollm2", DECIDED, Dpd(routing_threshold=512), 1, [512], 64)
    assert "; tried with min_uncached_tokens 64 in place of 0; 1 prefill engines" in heading(view)
    assert apply(view, 512) == "kvdeck ctl set --model smollm2 dpd.routing_threshold=512 dpd.min_uncached_tokens=64"


def test_programs_get_controls_own_answer() -> None:
    with control() as server:
        told = json.loads(run(server, "what-if", "--model", "smollm2", "--json").output)
        assert server.asked == "model=smollm2"
        assert told["trials"][0]["threshold"] == 0


def of_file(folder: Path, records: list[object], *words: str) -> str:
    file = folder / "decisions.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return CliRunner().invoke(command, ["what-if", "--file", str(file), *words]).output


def test_a_file_of_decisions_needs_no_control(tmp_path: Path) -> None:
    told = of_file(tmp_path, [*DECIDED], "512")
    assert "threshold now 512; an unknown number of prefill engines" in told
    assert "how many prefill engines there are is not known" in told
    pool = Selection(strategy="s", engine="prefill-0", reason="r", candidates=(Candidate(engine="prefill-0"),), omitted=2)
    assert "3 prefill engines" in of_file(tmp_path, [*DECIDED, disaggregated(prefill=pool)])
    assert "9 prefill engines" in of_file(tmp_path, [*DECIDED, disaggregated(prefill=pool)], "--prefill-engines", "9")


def test_a_file_about_several_models_needs_one_to_be_named(tmp_path: Path) -> None:
    mixed: list[object] = [decision(), decision(model="other", path_reason="dpd_disabled")]
    assert "about other, smollm2: say --model" in of_file(tmp_path, mixed)
    told = of_file(tmp_path, mixed, "--model", "other", "0")
    assert "threshold now off (512)" in told
    assert "dpd.routing_threshold=THRESHOLD dpd.enabled=true" in told
    assert "other: no decision is recorded" in of_file(tmp_path, [], "--model", "other")


def test_a_file_of_something_else_is_told(tmp_path: Path) -> None:
    assert "line 1" in of_file(tmp_path, ["no decision"])
