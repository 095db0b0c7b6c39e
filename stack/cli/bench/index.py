"""`kvdeck bench index`: what following the engines' KV events costs."""

from __future__ import annotations

import click


@click.command()
@click.option("--steps", type=click.IntRange(600), default=3000, show_default=True, help="Messages of 32 stored blocks each.")
@click.option("--lookups", type=click.IntRange(2), default=300, show_default=True, help="Look-ups to take percentiles of.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def command(steps: int, lookups: int, as_json: bool) -> None:
    """What knowing the engines' caches costs the router: updates a second, a look-up, bytes a block.

    An engine in a process of its own publishes as vLLM does when its cache is full: blocks of 16 tokens stored, and as many
    removed, as fast as it can. Nothing is installed, nothing but this measured; under a minute.
    """
    import msgspec

    from stack.bench.index.report import lines
    from stack.bench.index.stream import EventsLostError
    from stack.wiring.bench_index import run

    try:
        made = run(steps, lookups)
    except (EventsLostError, TimeoutError) as error:
        raise click.ClickException(str(error) or "the engine's events did not arrive in time") from error
    if as_json:
        click.echo(msgspec.json.encode(made))
    else:
        for line in lines(made):
            click.echo(line)
