"""`kvdeck report`: hands over to `python -m dashboard.report`, which parses the arguments itself."""

from __future__ import annotations

import os
import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
    short_help="Write the dashboard's overview of a time as one HTML file.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Write the dashboard's overview of a time as one HTML file."""
    os.execv(sys.executable, [sys.executable, "-m", "dashboard.report", *arguments])
