"""`kvdeck down`: ends the one-machine stack."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Stop every process of the stack and remove its shared memory.

    Works too after the supervisor was killed: it ends exactly the processes that were started for this checkout.
    """
    from stack.local.commands import down
    from stack.local.home import home_layout
    from stack.local.leftovers import StubbornError

    try:
        down(home_layout(), click.echo)
    except StubbornError as error:
        raise click.ClickException(str(error)) from error
