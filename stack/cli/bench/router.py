"""`kvdeck bench router`: what routing a request costs."""

from __future__ import annotations

import sys

import click


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Each router is measured that often, in turn.")
@click.option("--seconds", type=click.FloatRange(1), default=3.0, show_default=True, help="Length of one run.")
@click.option("--peers/--no-peers", default=True, show_default=True, help="Measure vllm-router and sglang-router, too.")
@click.option("--streams", type=click.IntRange(0, 2000), default=200, show_default=True, help="Streams at once; 0: none.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Measure a router of that many, too.")
@click.option("--force", is_flag=True, help="Also on one core, where the figures mean nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def command(rounds: int, seconds: float, peers: bool, streams: int, workers: int, force: bool, as_json: bool) -> None:
    """What routing costs: requests a second on one core, and added latency.

    Ours and two routers written in Rust, in one run, each pinned to one core, before the same canned back end: nginx with a
    fixed answer. nginx and wrk are unpacked from Debian's packages, the other routers installed in environments of their own
    in .kvdeck/bench. Chats of 16 kB that share beginnings, 32 connections. Ends with 1 when something could not be measured.
    """
    import msgspec
    from rich.console import Console

    from stack.bench.router.display import notes, table
    from stack.bench.router.placement import OneCoreError
    from stack.bench.router.process import ProcessError
    from stack.bench.router.wrk import LoadError
    from stack.local.home import home_layout
    from stack.local.install.plan import InstallError
    from stack.local.terminal import terminal
    from stack.wiring.bench_router import BenchOptions, run

    options = BenchOptions(rounds=rounds, seconds=seconds, peers=peers, streams=streams, workers=workers, force=force)
    try:
        report = run(home_layout(), options, Console(stderr=True))
    except OneCoreError as error:
        raise click.ClickException(f"{error}: the figures would mean nothing (--force measures all the same)") from error
    except (InstallError, ProcessError, LoadError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        console = terminal()
        console.print(table(report))
        for line in notes(report):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    sys.exit(1 if report.missing or report.errors else 0)
