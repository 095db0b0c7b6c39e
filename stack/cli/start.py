"""`kvdeck start`: releases a held component."""

from __future__ import annotations

import click


@click.command()
@click.argument("name")
def command(name: str) -> None:
    """Start component NAME that `kvdeck stop` holds down, or one that crashed without waiting for its back-off.

    Returns at once; `kvdeck status` shows how it comes along.
    """
    from rich.console import Console

    from stack.local.commands import release
    from stack.local.home import home_layout

    raise SystemExit(release(home_layout(), Console(), name))
