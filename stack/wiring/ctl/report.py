"""`kvdeck ctl report`: what a change came to."""

from __future__ import annotations

from stack.api import report_table
from stack.wiring.ctl.asking import Connection, Exit, run, show


def one(connection: Connection, generation: int) -> Exit:
    """Print a change's report."""
    return run(connection, lambda client: show(connection, client.report(generation), report_table.report))
