"""`kvdeck ctl experiment`: lets a share of the sessions try a change before all do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected
from stack.cli.options import long

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


def _tolerance(_context: click.Context, _option: click.Parameter, value: str) -> float | None:
    try:
        return None if value == "off" else float(value)
    except ValueError as error:
        raise click.BadParameter(f"expected a number from 0 to 1, or off, not {value!r}") from error


@click.group()
def command() -> None:
    """Let a share of a model's sessions try a change; control promotes it, stops, or rolls it back by itself.

    Sessions are drawn by chance and stay where they are drawn; a request without a session is drawn by itself. What is tried is
    only what routers decide by: strategies, parameters, dpd, session_keys, shadow_share. Any other change of the model ends it.
    """


@command.command()
@click.argument("assignments", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--model", help="The model the keys are for, when several are served.")
@click.option("--share", type=click.FloatRange(0.01, 0.9), default=0.2, show_default=True, help="Of the sessions.")
@click.option("--samples", type=click.IntRange(1), help="Ends when so many sessions are counted, of both arms together.")
@click.option("--for", "seconds", callback=long, metavar="TIME", help="Ends after 30m, 2h, 1d; this or --samples, or both.")
@click.option("--goal", type=click.Choice(["ttft", "gap", "failed"]), default="ttft", show_default=True, help="Has to be better...")
@click.option("--by", type=click.FloatRange(0, 0.9), default=0.0, show_default=True, help="...by more than this: 0.05 is 5 %.")
@click.option("--ttft", callback=_tolerance, default="0.1", show_default=True, help="Rolled back when longer by more; or off.")
@click.option("--gap", callback=_tolerance, default="0.1", show_default=True, help="The same for the time between tokens.")
@click.option("--failed", callback=_tolerance, default="0.01", show_default=True, help="The same for the share of failed requests.")
@click.option("--session-requests", type=click.IntRange(1, 1000), default=8, show_default=True, help="When a session counts...")
@click.option("--session-idle", callback=long, default="60s", show_default=True, metavar="TIME", help="...or when quiet so long.")
@click.option("--error", type=click.FloatRange(0.001, 0.2), default=0.05, show_default=True, help="Probability of a wrong verdict.")
@click.option("--dry-run", is_flag=True, help="Only say what it would be.")
@click.option("--comment", help="Why; kept in the audit log.")
@connected
def start(
    at: Connection,
    assignments: tuple[str, ...],
    model: str | None,
    share: float,
    samples: int | None,
    seconds: float | None,
    goal: str,
    by: float,
    ttft: float | None,
    gap: float | None,
    failed: float | None,
    session_requests: int,
    session_idle: float,
    error: float,
    dry_run: bool,
    comment: str | None,
) -> None:
    """Begin one, for example: strategy=kv_aware --share 0.2 --samples 2000 --for 2h"""
    from stack.control.experiment import Goal, Guardrails, Measure, Proposal, Sessions
    from stack.wiring.ctl import experiment

    proposal = Proposal(
        candidate={},
        share=share,
        samples=samples,
        duration_seconds=seconds,
        goal=Goal(measure=Measure(goal), by=by),
        guardrails=Guardrails(ttft=ttft, gap=gap, failed=failed),
        sessions=Sessions(requests=session_requests, idle_seconds=session_idle),
        error=error,
    )
    sys.exit(experiment.start(at, assignments, model, proposal, dry_run=dry_run, comment=comment))


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@connected
def every(at: Connection, limit: int) -> None:
    """Running and ended ones, newest first."""
    from stack.wiring.ctl import experiment

    sys.exit(experiment.every(at, limit))


@command.command()
@click.argument("experiment_id", metavar="ID")
@connected
def show(at: Connection, experiment_id: str) -> None:
    """The arms, the effects with their bounds, what is left, and the verdict."""
    from stack.wiring.ctl import experiment

    sys.exit(experiment.one(at, experiment_id))


@command.command()
@click.argument("experiment_id", metavar="ID")
@click.option("--comment", help="Why; kept in the audit log.")
@connected
def stop(at: Connection, experiment_id: str, comment: str | None) -> None:
    """End one: everything goes by what is in force again."""
    from stack.wiring.ctl import experiment

    sys.exit(experiment.stop(at, experiment_id, comment))
