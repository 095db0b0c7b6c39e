"""`kvdeck ctl history`: who changed what, and how it went."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("generation", type=click.IntRange(1), required=False)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--before", type=click.IntRange(1), metavar="SEQUENCE", help="Only records before this one.")
@connected
def command(at: Connection, generation: int | None, limit: int, before: int | None) -> None:
    """The audit log, newest first; with GENERATION that change whole, and what was desired then."""
    from stack.wiring.ctl import history

    sys.exit(history.audit(at, limit, before) if generation is None else history.one(at, generation))
