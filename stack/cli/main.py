"""The `kvdeck` command: finds a sub-command's file by its name and imports only that one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import click

import stack.cli

_NOT_COMMANDS = {"main", "options"}


class CommandFiles(click.Group):
    """Each `stack/cli/<name>.py` holds one click command called `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {module.name for module in iter_modules(stack.cli.__path__)} - _NOT_COMMANDS
        return sorted(name.replace("_", "-") for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"stack.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.command(cls=CommandFiles, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kvdeck")
def main() -> None:
    """The open control deck for LLM inference fleets with a tiered KV cache.

    \b
    See it here:        kvdeck up, kvdeck demo, kvdeck status, kvdeck down
    Watch my fleet:     kvdeck exporter
    Route and steer:    kvdeck router, kvdeck control, kvdeck ctl
    """


if __name__ == "__main__":
    main()
