"""`kvdeck ctl history` draws the audit log."""

from __future__ import annotations

import msgspec

from stack.api.schema import ChangeView
from tests.stack.wiring.ctl.stand import CHANGED, control, run


def test_history_and_decisions_are_tables() -> None:
    with control() as server:
        history = run(server, "history").output
        assert "models.smollm2.strategy: prefix_aware -> session" in history
        assert "because" in history
        assert "3 decisions never arrived here" in run(server, "decisions").output
        assert "applied is as desired" in run(server, "diff").output


def test_history_goes_on_before_what_was_shown() -> None:
    with control() as server:
        shown = run(server, "history", "--limit", "1", "--before", "9").output
        assert (server.asked, shown.splitlines()[-1]) == ("limit=1&before=9", "6 earlier: --before 7")


def test_one_generation_is_shown_whole() -> None:
    with control() as server:
        shown = run(server, "history", "8").output
    assert "generation 8, since 1970-01-01" in shown
    assert ", applied by ops\nbecause\n" in shown
    assert "models.smollm2.strategy │ prefix_aware │ session" in shown
    assert shown.endswith("schema: 1\ndesired:\n  models:\n    smollm2:\n      strategy: session\n")


def test_rollback_asks_at_the_generation_that_is_in_force() -> None:
    with control() as server:
        done = run(server, "rollback", "3", "--comment", "worse")
        assert (done.exit_code, "generation 8 is in force" in done.output) == (0, True)
        preview = run(server, "rollback", "3", "--dry-run", "--json")
        assert msgspec.json.decode(preview.output, type=ChangeView) == CHANGED
    assert server.patches == [
        ("/v1/rollback?comment=worse", '"7"', {"generation": 3}),
        ("/v1/rollback?dry_run=true", '"7"', {"generation": 3}),
    ]
