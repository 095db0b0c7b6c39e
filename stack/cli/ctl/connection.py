"""The options by which a sub-command of `kvdeck ctl` finds control."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path

import click

_FILE = click.Path(path_type=Path, dir_okay=False)


def connected(function: Callable[..., None]) -> Callable[..., None]:
    """The options that every sub-command has, as its argument `at`: a `stack.wiring.ctl.asking.Connection`."""
    return connected_by("--url")(function)


def connected_by(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same for commands in which control is one of several addresses: the option `name` is control's."""
    return partial(_connected, name)


def _connected(name: str, function: Callable[..., None]) -> Callable[..., None]:
    @wraps(function)
    def command(url: str | None, token_file: Path | None, ca_file: Path | None, as_json: bool, **rest: object) -> None:
        from stack.wiring.ctl.asking import Connection, control_url

        function(at=Connection(url or control_url(), token_file, ca_file, as_json), **rest)

    options = (
        click.option(
            name,
            "url",
            metavar="URL",
            envvar="KVDECK_CONTROL_URL",
            help="Where control is; else this checkout's stack, else http://127.0.0.1:8010.",
        ),
        click.option("--token-file", type=_FILE, envvar="KVDECK_CONTROL_TOKEN_FILE", help="Bearer token, when control has tokens."),
        click.option("--ca-file", type=_FILE, envvar="KVDECK_CONTROL_CA_FILE", help="PEM file: whose certificate control has."),
        click.option("--json", "as_json", is_flag=True, help="The answer for programs."),
    )
    with_options: Callable[..., None] = command
    for option in reversed(options):
        with_options = option(with_options)
    return with_options
