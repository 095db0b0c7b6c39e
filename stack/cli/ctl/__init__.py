"""`kvdeck ctl`: read and change the fleet's desired state from a shell; one file a sub-command."""

from __future__ import annotations

import sys

import click

from stack.cli.command_files import CommandFiles


@click.command(cls=CommandFiles, package=sys.modules[__name__], others=frozenset({"connection"}))
def command() -> None:
    """Read and change what is desired; every change is checked as a whole and audited.

    \b
    Exit codes: 0 done, 2 usage, 3 applied but a router has yet to follow, 4 refused,
    5 somebody else changed the state in between, 6 control does not answer.
    """
