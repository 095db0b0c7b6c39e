"""`kvdeck ctl decision`: one decision, explained."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("request_id", metavar="ID")
@connected
def command(at: Connection, request_id: str) -> None:
    """Explain one decision, by its request's id (x-request-id): why this path, why this engine, and did it come true."""
    from stack.wiring.ctl import decisions

    sys.exit(decisions.one(at, request_id))
