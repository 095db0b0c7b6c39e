"""What several commands read in the same way."""

from __future__ import annotations

import time
from pathlib import Path

import click

from stack.config import address

alertmanager_config = click.option(
    "--alertmanager-config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="How it wants to be asked, as for --prometheus-config.",
)
prometheus_config = click.option(
    "--prometheus-config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="How it wants to be asked, in the words of Prometheus' own http_config: authorization, basic_auth, tls_config, "
    "http_headers (Mimir's X-Scope-OrgID), sigv4 (Amazon's). YAML.",
)


def host_port(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, int]:
    """An option's callback: `HOST:PORT` as host and port."""
    try:
        return address(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def router_name(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """An option's callback: a name that control takes, with room for what tells one worker from another."""
    if not 0 < len(value) <= 120 or not all("!" <= char <= "~" for char in value):
        raise click.BadParameter("a name is up to 120 printable ASCII characters without spaces")
    return value


def ago(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """An option's callback: 90s, 10m or 2h before now, as Unix seconds."""
    if value is None:
        return None
    number, unit = value[:-1], {"s": 1, "m": 60, "h": 3600}.get(value[-1:])
    if unit is None or not (number.isascii() and number.isdigit()):
        raise click.BadParameter(f"expected something like 90s, 10m or 2h, not {value!r}")
    return f"{time.time() - int(number) * unit:.3f}"
