"""`kvdeck ctl`: read and change the fleet's desired state from a shell."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stack.cli.options import ago

if TYPE_CHECKING:
    from stack.wiring.ctl import Connection


_FILE = click.Path(path_type=Path, dir_okay=False)


def _connection(function: Callable[..., None]) -> Callable[..., None]:
    """The options that every sub-command has, as its argument `at`."""

    @wraps(function)
    def connected(url: str | None, token_file: Path | None, ca_file: Path | None, as_json: bool, **rest: object) -> None:
        from stack.wiring.ctl import Connection, control_url

        function(at=Connection(url or control_url(), token_file, ca_file, as_json), **rest)

    options = (
        click.option(
            "--url", envvar="KVDECK_CONTROL_URL", help="Where control is; else this checkout's stack, else http://127.0.0.1:8010."
        ),
        click.option("--token-file", type=_FILE, envvar="KVDECK_CONTROL_TOKEN_FILE", help="Bearer token, when control has tokens."),
        click.option("--ca-file", type=_FILE, envvar="KVDECK_CONTROL_CA_FILE", help="PEM file: whose certificate control has."),
        click.option("--json", "as_json", is_flag=True, help="Control's own answer, for programs."),
    )
    command: Callable[..., None] = connected
    for option in reversed(options):
        command = option(command)
    return command


@click.group()
def command() -> None:
    """Read and change what is desired; every change is checked as a whole and audited.

    \b
    Exit codes: 0 done, 2 usage, 3 applied but a router has yet to follow, 4 refused,
    5 somebody else changed the state in between, 6 control does not answer.
    """


@command.command("get")
@_connection
def get(at: Connection) -> None:
    """Desired and applied state, engines, routers."""
    from stack.wiring import ctl

    sys.exit(ctl.get(at))


@command.command("set")
@click.argument("assignments", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--model", help="The model the keys are for, when several are served.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--comment", help="Why; kept in the audit log.")
@_connection
def change(
    assignments: tuple[str, ...],
    model: str | None,
    dry_run: bool,
    comment: str | None,
    at: Connection,
) -> None:
    """Change the desired state, for example: strategy=kv_aware pools.decode.replicas=3"""
    from stack.wiring import ctl

    sys.exit(ctl.change(at, assignments, model, dry_run=dry_run, comment=comment))


@command.command("diff")
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE...]")
@click.option("--model", help="The model the keys are for, when several are served.")
@_connection
def diff(assignments: tuple[str, ...], model: str | None, at: Connection) -> None:
    """What assignments would change; without any, where applied differs from desired."""
    from stack.wiring import ctl

    sys.exit(ctl.change(at, assignments, model, dry_run=True, comment=None) if assignments else ctl.drift(at))


@command.command("history")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@_connection
def history(limit: int, at: Connection) -> None:
    """The audit log, newest first."""
    from stack.wiring import ctl

    sys.exit(ctl.history(at, limit))


@command.command("decisions")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--follow", is_flag=True, help="Those that come from now on, a line each; JSON lines with --json.")
@click.option("--model")
@click.option("--path", type=click.Choice(["direct", "dpd"]))
@click.option("--strategy", help="Of either pool.")
@click.option("--engine", help="Of either pool.")
@click.option("--fallback", metavar="REASON", help="Those not served as configured, for this reason or for 'any'.")
@click.option("--status", type=click.Choice(["2xx", "4xx", "5xx", "aborted"]))
@click.option("--observed", type=click.Choice(["true", "false"]), help="Mirrored requests only, or routed ones only.")
@click.option("--since", callback=ago, metavar="AGO", help="No older than this: 90s, 10m, 2h.")
@_connection
def decisions(limit: int, follow: bool, at: Connection, **filters: str | None) -> None:
    """Recent routing decisions with their reasons, newest first."""
    from stack.wiring import ctl

    sys.exit(ctl.follow(at, filters) if follow else ctl.decisions(at, limit, filters))


@command.command("decision")
@click.argument("request_id", metavar="ID")
@_connection
def decision(request_id: str, at: Connection) -> None:
    """Explain one decision, by its request's id (x-request-id): why this path, why this engine, and did it come true."""
    from stack.wiring import ctl

    sys.exit(ctl.decision(at, request_id))


@command.command("replay")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--by", default="own", show_default=True, help="Order: own, in_flight, cached_tokens, or a score part such as ttft_s."
)
@click.option("--json", "as_json", is_flag=True)
def replay(file: Path, by: str, as_json: bool) -> None:
    """Decide recorded requests again, from a JSON lines file of kvdeck control --decisions-dir and nothing else."""
    from stack.wiring.replay import NotDecisionsError, run

    try:
        run(file, by, as_json=as_json)
    except (NotDecisionsError, OSError) as error:
        raise click.ClickException(str(error)) from error
