"""`kvdeck ctl diff`: previews a change, or tells where applied differs from desired."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE...]")
@click.option("--model", help="The model the keys are for, when several are served.")
@connected
def command(at: Connection, assignments: tuple[str, ...], model: str | None) -> None:
    """What assignments would change; without any, where applied differs from desired."""
    from stack.wiring.ctl import state

    sys.exit(state.change(at, assignments, model, dry_run=True, comment=None) if assignments else state.drift(at))
