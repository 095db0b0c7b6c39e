"""`kvdeck ctl history` draws the audit log."""

from __future__ import annotations

from tests.stack.wiring.ctl.stand import control, run


def test_history_and_decisions_are_tables() -> None:
    with control() as server:
        history = run(server, "history").output
        assert "models.smollm2.strategy: prefix_aware -> session" in history
        assert "because" in history
        assert "3 decisions never arrived here" in run(server, "decisions").output
        assert "applied is as desired" in run(server, "diff").output
