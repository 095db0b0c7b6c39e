"""`kvdeck ctl get`, `set` and `diff` against a control that answers as the test says."""

from __future__ import annotations

import msgspec

from stack.api.schema import ChangeView, Drift, StateView
from stack.control.mode import FILE_FIELD, Mode
from tests.stack.wiring.ctl.stand import CHANGED, STATE, control, refusal, run


def test_set_reads_the_state_and_changes_it_at_its_generation() -> None:
    with control() as server:
        done = run(server, "set", "strategy=session", "pools.decode.replicas=3", "--comment", "load")
    assert done.exit_code == 0
    assert server.patches == [("/v1/state?comment=load", '"7"', {"strategy": "session", "pools": {"decode": {"replicas": 3}}})]
    assert "generation 8 is in force and acknowledged by every live router" in done.output


def test_diff_with_assignments_is_a_dryrun() -> None:
    with control(body=msgspec.structs.replace(CHANGED, dry_run=True)) as server:
        done = run(server, "diff", "strategy=session", "--model", "smollm2")
    assert done.exit_code == 0
    assert server.patches == [("/v1/state?dry_run=true", '"7"', {"models": {"smollm2": {"strategy": "session"}}})]
    assert "dry run: nothing was applied" in done.output


def test_json_is_controls_own_answer() -> None:
    with control() as server:
        assert msgspec.json.decode(run(server, "get", "--json").output, type=StateView) == STATE
        assert msgspec.json.decode(run(server, "set", "strategy=session", "--json").output, type=ChangeView) == CHANGED


FOLLOWING = msgspec.structs.replace(STATE, mode=Mode.DECLARATIVE, desired_file="fleet.yaml")


def test_where_a_file_says_what_is_desired_a_refusal_names_its_lines() -> None:
    with control(403, refusal("mode")) as server:
        server.reads["/v1/state"] = FOLLOWING
        done = run(server, "set", "pools.decode.replicas=3")
        dry = run(server, "set", "strategy=session", "--dry-run")
    lines = "desired:\n  models:\n    smollm2:\n      pools:\n        decode:\n          replicas: 3\n"
    assert (done.exit_code, done.output.partition("In fleet.yaml this change is:\n")[2]) == (4, lines)
    assert "strategy: session" in dry.output


def test_get_says_first_that_the_file_is_refused() -> None:
    def first(*drift: Drift) -> str:
        with control() as server:
            server.reads["/v1/state"] = msgspec.structs.replace(FOLLOWING, drift=drift)
            return run(server, "get").output.splitlines()[0]

    assert first() == "generation 7, declarative: fleet.yaml says what is desired"
    reason = "fleet.yaml is refused: models.m.strategy: no; generation 7 stays in force"
    told = first(Drift(field=FILE_FIELD, reason=reason, since=0.0))
    assert told.startswith("generation 7, declarative: fleet.yaml is refused since 1970-01-01")
    assert told.endswith(": models.m.strategy: no; generation 7 stays in force")
    broken = first(Drift(field=FILE_FIELD, reason="fleet.yaml cannot be read: gone", since=0.0))
    assert broken.endswith(": cannot be read: gone")
