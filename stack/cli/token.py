"""`kvdeck token`: who may do what at control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

_ROLES = ("viewer", "operator", "admin", "router")


def _tokens(function: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--tokens",
        type=click.Path(path_type=Path, dir_okay=False),
        default=Path("tokens.yaml"),
        show_default=True,
        help="The file that control is given with --tokens.",
    )(function)


@click.group()
def command() -> None:
    """Make the bearer tokens of control's API, list them, take them back.

    A file of tokens holds their hashes: a secret is shown once and kept by whoever uses it. Control looks at the file every
    second. Single sign-on and quotas belong to the gateway in front of control.

    \b
    viewer    looks at everything and changes nothing
    operator  looks, and changes whatever can be changed
    admin     what an operator and a router may, together
    router    a router or cache server: follows and reports
    """


@command.command("new")
@click.option("--name", required=True, help="Whose it is; the audit log tells it.")
@click.option("--role", type=click.Choice(_ROLES), required=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="A new file for the secret, its owner's alone.")
@_tokens
def new(name: str, role: str, out: Path | None, tokens: Path) -> None:
    """Make a token: `kvdeck token new --name ann --role operator --out ann.token`.

    Without --out its secret is printed, alone on standard output.
    """
    from stack.adapters.bearer import TokenFileError
    from stack.control.access import Role
    from stack.wiring import token

    try:
        if out is not None:
            token.new_file(out, tokens, name, Role(role))
            click.echo(f"{name} is {role} in {tokens}; the secret is in {out} alone: name that with --token-file.", err=True)
            return
        secret = token.new(tokens, name, Role(role))
    except TokenFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(secret)
    click.echo(f"{name} is {role} in {tokens}. This is shown once: keep it in a file and name that with --token-file.", err=True)


@command.command("list")
@_tokens
@click.option("--json", "as_json", is_flag=True, help='{"tokens":[{"name","role"}]}')
def show(tokens: Path, as_json: bool) -> None:
    """Names and roles; there is nothing else to show."""
    import json

    from stack.adapters.bearer import TokenFileError
    from stack.adapters.token_file import read_grants

    try:
        grants = read_grants(tokens)
    except TokenFileError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({"tokens": [{"name": grant.name, "role": grant.role} for grant in grants]}))
        return
    for grant in grants:
        click.echo(f"{grant.role:<9} {grant.name}")


@command.command("revoke")
@click.argument("name")
@_tokens
def revoke(name: str, tokens: Path) -> None:
    """Take a token back; a running control refuses it within a second."""
    from stack.adapters.bearer import TokenFileError
    from stack.wiring import token

    try:
        token.revoke(tokens, name)
    except TokenFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{name} is taken out of {tokens}")
