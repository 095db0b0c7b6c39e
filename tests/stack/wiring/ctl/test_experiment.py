"""`kvdeck ctl experiment` begins, shows and stops experiments."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from stack.api.experiment_schema import BegunView, ExperimentView
from stack.api.schema import EffectView
from stack.control.experiment import Stage
from tests.stack.wiring.ctl.stand import CHANGED, EXPERIMENT, TRIED, control, refusal, run

BEGUN = BegunView(experiment=EXPERIMENT, dry_run=False, diff=CHANGED.diff, effects=())


def test_one_is_begun_at_the_generation_that_is_in_force() -> None:
    with control(body=BEGUN) as server:
        words = ["--share", "0.3", "--samples", "500", "--for", "2h", "--goal", "gap", "--by", "0.05"]
        words += ["--gap", "off", "--comment", "try"]
        done = run(server, "experiment", "start", "strategy=session", *words)
    assert (done.exit_code, "exp-1 runs, on 20% of smollm2's sessions" in done.output) == (0, True)
    ((path, based_on, sent),) = server.patches
    assert (path, based_on) == ("/v1/experiments?comment=try", '"7"')
    assert sent == {
        "candidate": {"strategy": "session"},
        "share": 0.3,
        "samples": 500,
        "duration_seconds": 7200.0,
        "goal": {"measure": "gap", "by": 0.05},
        "guardrails": {"ttft": 0.1, "gap": None, "failed": 0.01},
        "sessions": {"requests": 8, "idle_seconds": 60.0},
        "error": 0.05,
    }


def test_a_dry_run_and_a_router_that_has_yet_to_follow_say_so() -> None:
    with control(body=replace(BEGUN, dry_run=True)) as server:
        assert "dry run: nothing runs" in run(server, "experiment", "start", "strategy=session", "--dry-run").output
    with control(202, replace(BEGUN, pending=("router-0",))) as server:
        done = run(server, "experiment", "start", "strategy=session")
        assert (done.exit_code, "not yet acknowledged by router-0" in done.output) == (3, True)
    with control(body=replace(BEGUN, unheard=True)) as server:
        done = run(server, "experiment", "start", "strategy=session")
        assert (done.exit_code, "no router reports: nothing goes by it yet" in done.output) == (3, True)


def test_what_it_would_be_is_told_with_its_share_its_end_and_what_decides() -> None:
    effect = EffectView(kind="switch_strategy", sentence="From the next request on the decode pool chooses by session.")
    with control(body=replace(BEGUN, dry_run=True, effects=(effect,))) as server:
        told = run(server, "experiment", "start", "strategy=session", "--dry-run").output.splitlines()
    assert told[-6:] == [
        "20% of smollm2's sessions try it, the others go on as they are, until 1,000 sessions are counted",
        'promoted once it is proven that it betters "TTFT"; else all goes on as it is',
        'rolled back once it is proven that it worsens "TTFT" by more than 10 % or "between tokens" by more than 10 % or '
        '"requests failed" by more than 1 points',
        "for those 20% of the sessions alone:",
        f"- {effect.sentence}",
        "dry run: nothing runs",
    ]
    with control(body=BEGUN) as server:
        begun = run(server, "experiment", "start", "strategy=session").output
    assert begun.endswith("how it goes: kvdeck ctl experiment show exp-1\n")


def test_what_runs_is_shown_with_its_arms_its_effects_and_what_is_not_known() -> None:
    with control() as server:
        shown = run(server, "experiment", "show", "exp-1").output
        assert msgspec.json.decode(run(server, "experiment", "show", "exp-1", "--json").output, type=ExperimentView) == TRIED
    lines = [line.split("\u2502") for line in shown.splitlines() if "\u2502" in line]
    cells = {row[1].strip(): [cell.strip() for cell in row[2:-1]] for row in lines}
    assert cells["control"] == ["80%", "900", "80"]
    assert cells["TTFT"] == ["250.0 ms", "200.0 ms", "x 0.8", "x 0.5 to x 1.05", "x 1.1", "holds so far"]
    assert cells["between tokens"] == ["?", "?", "?", "? to ?", "x 1.1", ""]
    assert cells["requests failed"] == ["0.00%", "2.00%", "+2 points", "? to ?", "", ""]
    assert "it goes on for at most 900 sessions more" in shown
    assert "not taking part, so not counted: router-1" in shown
    assert shown.endswith("running\n")


def test_they_are_listed_and_stopped() -> None:
    ended = replace(TRIED, experiment=replace(EXPERIMENT, stage=Stage.ABORTED, reason="stopped by ops"))
    with control(body=ended) as server:
        assert "strategy=session" in run(server, "experiment", "list").output
        stopped = run(server, "experiment", "stop", "exp-1")
        assert (stopped.exit_code, stopped.output.endswith("aborted: stopped by ops\n")) == (0, True)
    assert server.patches == [("/v1/experiments/exp-1/stop", None, None)]


@pytest.mark.parametrize("words", [["--for", "2 hours"], ["--ttft", "some"], ["--goal", "luck"]])
def test_what_cannot_be_read_is_said(words: list[str]) -> None:
    with control() as server:
        assert run(server, "experiment", "start", "strategy=session", *words).exit_code == 2


def test_a_refusal_names_the_field() -> None:
    with control(422, refusal("refused")) as server:
        done = run(server, "experiment", "start", "strategy=magic", "--samples", "500")
    assert (done.exit_code, done.stderr) == (4, "models.smollm2.strategy: it is refused\n")
