"""`kvdeck ctl decisions` and `decision`: what routers chose, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import msgspec
from rich.console import Console

from stack.api import decision_tables
from stack.api.client import ControlClient
from stack.api.explain import explanation
from stack.wiring.ctl.asking import Connection, Exit, run, show


def recent(connection: Connection, limit: int, filters: Mapping[str, str | None]) -> Exit:
    """Print recent routing decisions."""
    return run(connection, lambda client: show(connection, client.decisions(limit=limit, **filters), decision_tables.decisions))


def one(connection: Connection, request_id: str) -> Exit:
    """Explain one decision."""
    return run(connection, lambda client: show(connection, client.decision(request_id), explanation))


def follow(connection: Connection, filters: Mapping[str, str | None]) -> Exit:
    """Print decisions as they come, a line each, until control or the user ends it."""

    def ask(client: ControlClient) -> Exit:
        console = Console(soft_wrap=True)
        for record in client.follow(**filters):
            if connection.json:
                sys.stdout.write(msgspec.json.encode(record).decode() + "\n")
                sys.stdout.flush()
            else:
                console.print(decision_tables.decision_line(record))
        return Exit.APPLIED

    try:
        return run(connection, ask)
    except KeyboardInterrupt:  # how one stops following
        return Exit.APPLIED
