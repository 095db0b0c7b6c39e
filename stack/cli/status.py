"""`kvdeck status`: what runs."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help='{"components":[{"name","kind","url","pid","state","detail"}]}')
def command(as_json: bool) -> None:
    """Show every component of the stack: starting, ready, stopped, failed or held.

    Exits with 3 when the stack does not run.
    """
    from rich.console import Console

    from stack.local.commands import status
    from stack.local.home import home_layout

    raise SystemExit(status(home_layout(), Console(), as_json))
