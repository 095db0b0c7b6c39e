"""`kvdeck ctl get`, `set` and `diff` against a control that answers as the test says."""

from __future__ import annotations

import msgspec

from stack.api.schema import ChangeView, StateView
from tests.stack.wiring.ctl.stand import CHANGED, STATE, control, run


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
