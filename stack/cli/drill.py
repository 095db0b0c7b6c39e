"""`kvdeck drill`: one thing broken for real, and the alerts that must say so."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Every drill that this stack can show, one after the other.")
@click.option("--list", "listing", is_flag=True, help="What drills there are, and end.")
@click.option(
    "--pace", type=click.FloatRange(1, 60), default=30.0, show_default=True, help="How much faster rules wait. 1: as they are."
)
@click.option(
    "--json", "as_json", is_flag=True, help='{"pace","drills":[{"name","passed","required":{alert: seconds},...}],"skipped"}'
)
def command(name: str | None, everything: bool, listing: bool, pace: float, as_json: bool) -> None:
    """Break one thing of the local stack and check what is alerted.

    The alerts that must come have to be at Alertmanager in time, others only where they are a consequence, and all have to be
    gone after the mending, which Ctrl-C brings about as well. It breaks processes of `kvdeck up` and nothing else.

    Some alerts wait for many minutes in earnest. So for the drill Prometheus gets the same rules with every window and every
    `for` divided by --pace, none below 30 seconds, and marks their alerts with drill="kvdeck"; thresholds and everything that is
    measured stay. A drill takes one to three minutes then; with --pace 1, up to forty. Afterwards the rules at their own pace
    may still tell of what was broken, until their windows have passed.

    Exits with 1 when a drill fails.
    """
    import asyncio

    from rich.console import Console

    from stack.adapters.supervisor_link import SupervisorUnavailableError
    from stack.drill.drill import DrillError, drills
    from stack.drill.quick import Pace
    from stack.drill.show import catalogue, document, report
    from stack.local.terminal import terminal
    from stack.wiring.drill import named, play
    from stack.wiring.running_stack import StackNotReadyError

    if listing:
        terminal().print(catalogue(drills()))
        return
    if everything is (name is not None):
        raise click.UsageError("name one drill, or all of them with --all; --list shows them")
    console = Console(stderr=True)
    try:
        chosen = drills() if name is None else (named(name),)
        with console.status("looking for the stack") as status:
            played = asyncio.run(play(chosen, everything, Pace(pace), status.update))
    except SupervisorUnavailableError:
        raise click.ClickException("no stack of `kvdeck up` runs here, and drills break nothing else") from None
    except (DrillError, StackNotReadyError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(document(played.outcomes, played.skipped, pace))
    else:
        terminal().print(report(played.outcomes, played.skipped, pace))
    raise SystemExit(0 if all(outcome.passed for outcome in played.outcomes) else 1)
