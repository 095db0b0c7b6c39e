"""`kvdeck ctl get`: what is desired, applied and there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.option("--fields", is_flag=True, help="Every field instead: desired, applied by whom, observed, since when they differ.")
@connected
def command(at: Connection, fields: bool) -> None:
    """Desired and applied state, engines, routers; the fields of which something is seen, or that differ."""
    from stack.wiring.ctl import state

    sys.exit(state.get(at, fields=fields))
