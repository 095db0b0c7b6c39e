"""`kvdeck ctl set`: changes what is desired."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


def _fields(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """An option's callback: every field there is, and no change."""
    if wanted:
        from stack.wiring.ctl.fields import show_fields

        show_fields()
        context.exit()


@click.command()
@click.argument("assignments", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--model", help="The model the keys are for, when several are served.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--comment", help="Why; kept in the audit log.")
@click.option("--force", is_flag=True, help="Although the pool's last change of size is in flight; against nothing else. Audited.")
@click.option(
    "--fields", is_flag=True, is_eager=True, expose_value=False, callback=_fields, help="Every KEY, what it may be, its default."
)
@connected
def command(
    at: Connection, assignments: tuple[str, ...], model: str | None, dry_run: bool, comment: str | None, force: bool
) -> None:
    """Change the desired state, for example: strategy=kv_aware pools.decode.replicas=3

    A VALUE of null brings a default back, also those of a whole object (limits=null).
    --fields lists what may be set to what, strategies' parameters included.
    """
    from stack.wiring.ctl import state

    sys.exit(state.change(at, assignments, model, dry_run=dry_run, comment=comment, force=force))
