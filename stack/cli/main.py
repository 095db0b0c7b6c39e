"""The `kvdeck` command: finds a sub-command's file by its name and imports only that one."""

from __future__ import annotations

import click

import stack.cli
from stack.cli.command_files import CommandFiles

_NO_COMMANDS = frozenset({"main", "options", "kubernetes_options", "command_files"})


@click.command(cls=CommandFiles, package=stack.cli, others=_NO_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kvdeck")
def main() -> None:
    """The open control deck for LLM inference fleets with a tiered KV cache.

    \b
    See it here:        kvdeck up, kvdeck demo, kvdeck status, kvdeck down
    Watch my fleet:     kvdeck exporter, kvdeck dashboard, kvdeck report, kvdeck doctor
    Route and steer:    kvdeck router, kvdeck control, kvdeck ctl
    On HyperPod:        kvdeck iec
    Measure:            kvdeck bench, kvdeck drill
    """


if __name__ == "__main__":
    main()
