"""`kvdeck bench routing`: how good the choice of engines is, in virtual time."""

from __future__ import annotations

from pathlib import Path

import click

_SCENARIOS = ("multi_turn", "documents", "unique", "mixed")
_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.option("--scenario", "scenarios", multiple=True, type=click.Choice(_SCENARIOS), help="Default: all, without a trace.")
@click.option("--trace", type=_FILE, help="Mooncake JSON lines: lengths are divided by eight, time is made to fit the load.")
@click.option("--size", type=click.IntRange(50), default=400, show_default=True, help="Conversations of a scenario.")
@click.option("--lines", type=click.IntRange(200), default=2000, show_default=True, help="Lines of the trace for a seed.")
@click.option("--seeds", type=click.IntRange(1), default=2, show_default=True)
@click.option("--routers", type=click.IntRange(1, 16), default=1, show_default=True, help="That know nothing of each other.")
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def command(
    scenarios: tuple[str, ...], trace: Path | None, size: int, lines: int, seeds: int, routers: int, *, as_json: bool
) -> None:
    """Set all strategies, and disaggregation, against each other on the same requests.

    Eight emulated engines of 5,000 blocks, a third slower than the routers believe at first, at the load at which round_robin keeps
    them 80 % busy with prompts. Engines and routers are the emulator's and the router's own parts in virtual time: what it says is
    how good the choice is, not how fast the router. Ends with 1 when a bar does not hold.
    """
    import msgspec

    from stack.bench.routing.display import markdown
    from stack.traffic.trace import TraceError
    from stack.wiring.bench_routing import BenchRoutingOptions, measure

    wanted = scenarios or (() if trace else _SCENARIOS)
    options = BenchRoutingOptions(scenarios=wanted, trace=trace, size=size, lines=lines, seeds=seeds, routers=routers)
    try:
        verdicts = measure(options, lambda doing: click.echo(doing, err=True))
    except (TraceError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(msgspec.json.format(msgspec.json.encode(verdicts)).decode() if as_json else markdown(verdicts))
    raise SystemExit(0 if all(bar.holds for verdict in verdicts for bar in verdict.bars) else 1)
