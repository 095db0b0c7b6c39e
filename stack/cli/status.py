"""`kvdeck status`: what runs."""

from __future__ import annotations

import click

NOT_RUNNING = 3  # as service managers say


@click.command()
@click.option("--json", "as_json", is_flag=True, help='{"components":[{"name","kind","url","pid","state","detail"}]}')
def command(as_json: bool) -> None:
    """Show every component of the stack: starting, ready, stopped, failed or held.

    Exits with 3 when the stack does not run.
    """
    from stack.local.commands import status
    from stack.local.home import home_layout
    from stack.local.tables import status_json, status_table
    from stack.local.terminal import terminal

    components, runs = status(home_layout())
    if as_json:
        click.echo(status_json(components))
    else:
        terminal().print(status_table(components))
    raise SystemExit(0 if runs else NOT_RUNNING)
