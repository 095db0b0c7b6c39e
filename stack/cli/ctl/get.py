"""`kvdeck ctl get`: what is desired, applied and there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@connected
def command(at: Connection) -> None:
    """Desired and applied state, engines, routers."""
    from stack.wiring.ctl import state

    sys.exit(state.get(at))
