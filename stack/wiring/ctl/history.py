"""`kvdeck ctl history`: what was changed, by whom, and how it went."""

from __future__ import annotations

from stack.api import tables
from stack.wiring.ctl.asking import Connection, Exit, run, show


def audit(connection: Connection, limit: int) -> Exit:
    """Print the audit log."""
    return run(connection, lambda client: show(connection, client.audit(limit=limit), tables.audit))
