"""`kvdeck ctl silence`: has nobody told of some alerts for a while."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected
from stack.cli.options import long

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.group()
def command() -> None:
    """Have nobody told of some of kvdeck's alerts for a while; in every mode of control, and in the audit log."""


@command.command()
@click.argument("matchers", nargs=-1, required=True, metavar="MATCHER...")
@click.option("--for", "seconds", callback=long, default="2h", show_default=True, metavar="TIME", help="30m, 2h, 1d; at most 30d.")
@click.option("--comment", required=True, help="Why; Alertmanager and the audit log keep it.")
@click.option("--dry-run", is_flag=True, help="Only say what it would hold back now.")
@connected
def add(at: Connection, matchers: tuple[str, ...], seconds: float, comment: str, dry_run: bool) -> None:
    """Silence what all MATCHERs fit, for example: KvdeckHotspot model_name=smollm2 --for 30m --comment "new GPUs at noon"

    A MATCHER is an alert's name, or LABEL=VALUE, LABEL!=VALUE, LABEL=~REGEX, LABEL!~REGEX. One that could fit others' alerts is
    narrowed to kvdeck's.
    """
    from stack.wiring.ctl import alerts

    sys.exit(alerts.silence(at, matchers, seconds, comment, dry_run=dry_run))


@command.command("list")
@connected
def every(at: Connection) -> None:
    """Who has what held back, until when and why."""
    from stack.wiring.ctl import alerts

    sys.exit(alerts.silences(at))


@command.command()
@click.argument("silence_id", metavar="ID")
@click.option("--comment", help="Why; kept in the audit log.")
@connected
def end(at: Connection, silence_id: str, comment: str | None) -> None:
    """End one now."""
    from stack.wiring.ctl import alerts

    sys.exit(alerts.end(at, silence_id, comment))
