"""`kvdeck bench live`: strategies against each other on the running stack."""

from __future__ import annotations

import click

_POSITIVE = click.FloatRange(min=0, min_open=True)
_SHAPES = ("0+2", "1+2")
_SCENARIOS = ("chat", "mixed")


@click.command()
@click.option("--shape", "shapes", multiple=True, default=_SHAPES, show_default=True, metavar="P+D", help="Prefill+decode engines.")
@click.option("--scenario", "scenarios", multiple=True, default=_SCENARIOS, show_default=True, help="As in `kvdeck traffic`.")
@click.option("--strategy", "strategies", multiple=True, help="Default: all, set against round_robin.")
@click.option("--rate", type=_POSITIVE, default=0.5, show_default=True, help="Requests a second.")
@click.option("--seconds", type=_POSITIVE, default=60.0, show_default=True, help="How long each arm is loaded.")
@click.option("--answer", type=click.IntRange(1), default=24, show_default=True, help="Tokens of an answer.")
@click.option("--threshold", type=click.IntRange(0), default=512, show_default=True, help="routing_threshold with prefill engines.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def command(
    shapes: tuple[str, ...],
    scenarios: tuple[str, ...],
    strategies: tuple[str, ...],
    rate: float,
    seconds: float,
    answer: int,
    threshold: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure strategies on the stack of `kvdeck up`, one after the other, as its clients see it.

    Each gets the same requests at the same times and starts with nothing cached of them. Changes the running stack's strategy
    and pools, holds its own traffic meanwhile, and puts everything back. Prints a Markdown table.
    """
    import asyncio

    import msgspec

    from stack.adapters.supervisor_link import SupervisorUnavailableError
    from stack.api.answers import ControlError
    from stack.bench.arm import BASE, Shape, arms
    from stack.bench.comparison_table import EMULATED, REAL, markdown
    from stack.bench.stage import StageError
    from stack.strategies.base import names
    from stack.traffic.client import EndpointError
    from stack.traffic.scenarios import SCENARIOS
    from stack.wiring.bench_live import LiveOptions, compare
    from stack.wiring.running_stack import StackNotReadyError

    if unknown := set(scenarios) - SCENARIOS.keys():
        raise click.BadParameter(f"no scenario {', '.join(sorted(unknown))}: there are {', '.join(SCENARIOS)}")
    if unknown := set(strategies) - set(names()):
        raise click.BadParameter(f"no strategy {', '.join(sorted(unknown))}: there are {', '.join(names())}")
    try:
        listed = list(
            arms([Shape.parse(shape) for shape in shapes], scenarios, strategies or sorted(names(), key=lambda name: name != BASE))
        )
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    options = LiveOptions(rate=rate, seconds=seconds, seed=seed, answer=answer, threshold=threshold)
    try:
        compared = asyncio.run(compare(listed, options, lambda arm, doing: click.echo(f"{doing} {arm}", err=True)))
    except SupervisorUnavailableError:
        raise click.ClickException("the stack does not run here: `kvdeck up` starts it") from None
    except (StackNotReadyError, StageError, EndpointError, ControlError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(compared)).decode())
    else:
        click.echo(markdown(compared.arms, EMULATED if compared.emulated else REAL))
