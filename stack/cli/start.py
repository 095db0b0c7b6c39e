"""`kvdeck start`: releases a held component."""

from __future__ import annotations

import click


@click.command()
@click.argument("name")
def command(name: str) -> None:
    """Start component NAME that `kvdeck stop` holds down, or one that crashed without waiting for its back-off.

    Returns at once; `kvdeck status` shows how it comes along.
    """
    from stack.local.asking import NotRunningError
    from stack.local.commands import CommandError, release
    from stack.local.home import home_layout

    try:
        release(home_layout(), name)
    except (CommandError, NotRunningError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{name}: starts")
