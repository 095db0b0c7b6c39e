"""`kvdeck ctl alerts`: what fires and what is pending."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection

_STATES = ("firing", "pending", "silenced", "inhibited")


@click.command()
@click.option("--state", "states", type=click.Choice(_STATES), multiple=True, help="Only these; repeatable.")
@click.option("--model", metavar="NAME", help="Only those that are about this model.")
@click.option("--runbook", metavar="ALERT", help="Print what to do about this alert instead, as Markdown.")
@connected
def command(at: Connection, states: tuple[str, ...], model: str | None, runbook: str | None) -> None:
    """Alerts that fire, are pending, or are held back, and by what; the most urgent first.

    Control asks Alertmanager and Prometheus; where one of them is away the answer says what is unknown then.
    """
    from stack.wiring.ctl import alerts

    sys.exit(alerts.every(at, states, model) if runbook is None else alerts.runbook(at, runbook))
