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


_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def long(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    """An option's callback: 90s, 30m, 2h or 1d in seconds."""
    if value is None:
        return None
    number, unit = value[:-1], _UNITS.get(value[-1:])
    if unit is None or not (number.isascii() and number.isdigit()):
        raise click.BadParameter(f"expected something like 90s, 30m, 2h or 1d, not {value!r}")
    return float(int(number) * unit)


def ago(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """An option's callback: so long before now, as Unix seconds."""
    before = long(context, option, value)
    return None if before is None else f"{time.time() - before:.3f}"
