"""Commands that are files: found by name, and only the one that is asked for is imported."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import click


class CommandFiles(click.Group):
    """Each `<name>.py` of `package` holds one click command called `command`; `others` are files that hold none."""

    def __init__(self, *args: Any, package: ModuleType, others: frozenset[str] = frozenset(), **options: Any) -> None:
        super().__init__(*args, **options)
        self._package = package
        self._others = others

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {module.name for module in iter_modules(self._package.__path__)} - self._others
        return sorted(name.replace("_", "-") for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"{self._package.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command
