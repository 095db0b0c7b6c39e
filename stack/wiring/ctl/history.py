"""`kvdeck ctl history` and `rollback`: what was changed, by whom, how it went, and the way back."""

from __future__ import annotations

from stack.api import tables
from stack.api.client import ControlClient
from stack.wiring.ctl.asking import Connection, Exit, run, show
from stack.wiring.ctl.state import changed


def audit(connection: Connection, limit: int, before: int | None) -> Exit:
    """Print the audit log, or the part of it before a record."""
    return run(connection, lambda client: show(connection, client.audit(limit=limit, before=before), tables.audit))


def one(connection: Connection, generation: int) -> Exit:
    """Print one generation whole."""
    return run(connection, lambda client: show(connection, client.generation(generation), tables.generation))


def rollback(connection: Connection, generation: int, *, dry_run: bool, comment: str | None, force: bool = False) -> Exit:
    """Roll back, unless somebody else changes the state in between."""

    def ask(client: ControlClient) -> Exit:
        now = client.state().generation
        return changed(connection, client.rollback(generation, now, dry_run=dry_run, comment=comment, force=force))

    return run(connection, ask)
