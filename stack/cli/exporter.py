"""`kvdeck exporter`: hands over to `python -m exporters`, which parses the arguments itself."""

from __future__ import annotations

import os
import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
    short_help="Show engines, KV cache tiers and KV transfers as Prometheus series.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Show engines, KV cache tiers and KV transfers as Prometheus series."""
    os.execv(sys.executable, [sys.executable, "-m", "exporters", *arguments])
