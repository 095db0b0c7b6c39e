"""What several commands read in the same way."""

from __future__ import annotations

import click

from stack.config import address


def host_port(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, int]:
    """An option's callback: `HOST:PORT` as host and port."""
    try:
        return address(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
