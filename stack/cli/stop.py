"""`kvdeck stop`: holds one component down."""

from __future__ import annotations

import click


@click.command()
@click.argument("name")
def command(name: str) -> None:
    """Stop component NAME and hold it down until `kvdeck start NAME`.

    Names are those of `kvdeck status`. Returns once it is down. An engine stays in the fleet, as one that is down;
    to shrink a pool for good use `kvdeck ctl` or the dashboard.
    """
    from stack.local.asking import NotRunningError
    from stack.local.commands import CommandError, hold
    from stack.local.home import home_layout

    try:
        hold(home_layout(), name)
    except (CommandError, NotRunningError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{name}: held down")
