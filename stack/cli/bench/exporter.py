"""`kvdeck bench exporter`: what watching a fleet costs."""

from __future__ import annotations

import click


@click.command()
@click.option("--targets", type=click.IntRange(1), default=200, show_default=True, help="Engines to read.")
@click.option("--bytes", "size", type=click.IntRange(1000), default=90_000, show_default=True, help="Least size of their pages.")
@click.option("--collections", type=click.IntRange(2), default=30, show_default=True, help="Collections to measure.")
@click.option("--seconds", type=click.FloatRange(1.0), default=20.0, show_default=True, help="How long to ask for cached pages.")
@click.option("--models", type=click.IntRange(1), default=100_000, show_default=True, help="Models that clients name.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def command(targets: int, size: int, collections: int, seconds: float, models: int, as_json: bool) -> None:
    """What watching a fleet costs the exporter: CPU of a collection, its page's latency, its memory.

    Canned engines in a process of their own answer each scrape with a vLLM page; the exporter reads them all, first when it
    is asked, then on its own (--cache.interval) while its page is asked for again and again. Then canned LMCache servers tell of
    models that their clients named.
    """
    import msgspec

    from stack.bench.exporter.report import lines
    from stack.wiring.bench_exporter import BenchError, run

    try:
        made = run(targets, size, collections, seconds, models, lambda said: click.echo(f"...    {said}", err=True))
    except BenchError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.encode(made))
    else:
        for line in lines(made):
            click.echo(line)
