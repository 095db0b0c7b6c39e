"""`kvdeck ctl decisions`: what routers chose lately."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected
from stack.cli.options import ago

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--follow", is_flag=True, help="Those that come from now on, a line each; JSON lines with --json.")
@click.option("--model")
@click.option("--path", type=click.Choice(["direct", "dpd"]))
@click.option("--strategy", help="Of either pool.")
@click.option("--engine", help="Of either pool.")
@click.option("--fallback", metavar="REASON", help="Those not served as configured, for this reason or for 'any'.")
@click.option("--status", type=click.Choice(["2xx", "4xx", "5xx", "aborted"]))
@click.option("--observed", type=click.Choice(["true", "false"]), help="Mirrored requests only, or routed ones only.")
@click.option("--since", callback=ago, metavar="AGO", help="No older than this: 90s, 10m, 2h.")
@connected
def command(at: Connection, limit: int, follow: bool, **filters: str | None) -> None:
    """Recent routing decisions with their reasons, newest first."""
    from stack.wiring.ctl import decisions

    sys.exit(decisions.follow(at, filters) if follow else decisions.recent(at, limit, filters))
