"""`kvdeck ctl rollback`: what was desired once, desired again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("generation", type=click.IntRange(1))
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--comment", help="Why; kept in the audit log.")
@click.option("--force", is_flag=True, help="Although a pool's last change of size is in flight; against nothing else. Audited.")
@connected
def command(at: Connection, generation: int, dry_run: bool, comment: str | None, force: bool) -> None:
    """Make what was desired in GENERATION desired again: a change like any other, which becomes a new generation.

    The whole document of then is judged by today's rules. `kvdeck ctl history` lists generations.
    """
    from stack.wiring.ctl import history

    sys.exit(history.rollback(at, generation, dry_run=dry_run, comment=comment, force=force))
