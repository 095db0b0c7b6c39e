"""`kvdeck ctl drain`: takes engines out of rotation, and back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE...")
@click.option("--undo", is_flag=True, help="Give them requests again.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--comment", help="Why; kept in the audit log.")
@connected
def command(at: Connection, engines: tuple[str, ...], undo: bool, dry_run: bool, comment: str | None) -> None:
    """Take engines out of rotation: requests in flight finish, new ones go elsewhere, nothing is ended.

    They count among their pool's replicas and stay out, also when they or control start again, until --undo. A stack that
    `kvdeck up` starts anew begins with its configuration, though: all engines in rotation. To end engines for good make
    their pool smaller: kvdeck ctl set pools.decode.replicas=1
    """
    from stack.wiring.ctl import drain

    sys.exit(drain.drain(at, engines, undo=undo, dry_run=dry_run, comment=comment))
