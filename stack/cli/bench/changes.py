"""`kvdeck bench changes`: live changes under load, and control killed meanwhile."""

from __future__ import annotations

import click

_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command()
@click.option("--changes", type=click.IntRange(1), default=500, show_default=True, help="How many to apply, beside those refused.")
@click.option("--kills", type=click.IntRange(0), default=0, show_default=True, help="How often to kill control meanwhile.")
@click.option("--rps", type=_POSITIVE, default=50.0, show_default=True, help="Requests a second.")
@click.option("--pause", type=click.FloatRange(min=0), default=0.1, show_default=True, help="Seconds between changes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Equal seeds draw the same changes and requests.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(changes: int, kills: int, rps: float, pause: float, seed: int, as_json: bool) -> None:
    """Change the stack of `kvdeck up` at random, under load, and check every request against the audit log.

    \b
    Changed are strategies and their parameters, thresholds, pool sizes, fallbacks, limits, session keys and
    the like; one change in twenty goes back to an earlier generation. It holds when
    - no request fails;
    - everything a request was decided by is of one generation, as the audit log tells that generation;
    - every change that was answered with success is in the history, without a hole, with its effects,
      and nothing is there that was not asked for, wherever control was killed;
    - at its end what is applied is what is desired.

    Made for emulated engines, quick ones: `kvdeck up --engines emulated --profile h100-llama8b-tp1`. Holds the stack's own
    traffic meanwhile, and puts everything back. Ends with 1 when something did not hold.
    """
    import msgspec
    import uvloop

    from stack.adapters.supervisor_link import SupervisorUnavailableError
    from stack.api.answers import ControlError
    from stack.bench.changes.changer import ChangesError
    from stack.bench.changes.report import lines
    from stack.bench.changes.run import Plan
    from stack.traffic.client import EndpointError
    from stack.wiring.bench_changes import run
    from stack.wiring.running_stack import StackNotReadyError

    plan = Plan(changes=changes, kills=kills, rate=rps, pause=pause, seed=seed)
    try:
        report = uvloop.run(run(plan, lambda line: click.echo(line, err=True)))
    except SupervisorUnavailableError:
        raise click.ClickException("the stack does not run here: `kvdeck up` starts it") from None
    except (StackNotReadyError, ChangesError, EndpointError, ControlError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        click.echo("\n".join(lines(report)))
    raise SystemExit(1 if report.faults else 0)
