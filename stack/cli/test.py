"""`kvdeck test`: the whole check, as continuous integration runs it."""

from __future__ import annotations

import os
import sys

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--quick", is_flag=True, help="Leave out the end-to-end tests with real engines.")
@click.option("--yes", is_flag=True, help="Install Chromium if there is none (as root); so does CI=true.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]...")
def command(quick: bool, yes: bool, arguments: tuple[str, ...]) -> None:
    """Check everything: style, types, layers and all tests.

    Without --quick the tests bring up the whole stack with real engines, which takes many minutes.
    """
    from stack.local.home import home_layout
    from stack.wiring.testing import run_checks

    def may_install(question: str) -> bool:
        if yes or os.environ.get("CI") == "true":
            return True
        return sys.stdin.isatty() and click.confirm(question)

    sys.exit(run_checks(home_layout(), quick, may_install, arguments))
