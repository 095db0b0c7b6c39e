"""`kvdeck ctl set --fields`: what a change may set."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from stack.control.settable import settable
from stack.wiring.ctl.asking import PIPED_WIDTH


def show_fields() -> None:
    """Print every field; control need not answer for it."""
    console = Console()
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    table = Table(box=None, pad_edge=False)
    table.add_column("KEY", no_wrap=True)
    table.add_column("may be")
    table.add_column("default", overflow="fold")
    for field in settable():
        table.add_row(field.path, field.allowed, field.default)
    console.print(table)
