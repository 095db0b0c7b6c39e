"""`kvdeck bench ...`: one file a benchmark."""

from __future__ import annotations

import sys

import click

from stack.cli.command_files import CommandFiles


@click.command(cls=CommandFiles, package=sys.modules[__name__])
def command() -> None:
    """Measure: each benchmark sets its figures beside others of the same run, on this machine.

    Machines are noisy and differ: what counts is the ratio.
    """
