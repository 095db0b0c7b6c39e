"""`kvdeck bench tokens`: what exact tokens cost."""

from __future__ import annotations

import click


@click.command()
@click.option("--requests", type=click.IntRange(5), default=60, show_default=True, help="Of each kind of prompt.")
@click.option(
    "--seconds", type=click.FloatRange(1), default=8.0, show_default=True, help="Of small requests, alone and beside long ones."
)
@click.option("--small-rate", type=click.FloatRange(1), default=50.0, show_default=True, help="Small requests a second.")
@click.option("--long-rate", type=click.FloatRange(0.1), default=4.0, show_default=True, help="Unseen long prompts a second.")
@click.option("--force", is_flag=True, help="Also on one core, where the figures mean nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def command(requests: int, seconds: float, small_rate: float, long_rate: float, force: bool, as_json: bool) -> None:
    """What kv_aware adds to a request: exact tokens and the look-up, with most of the prompt seen before.

    A router on one core, eight canned engines that answer at once and say by KV events what they hold, and the model of the
    local stack. Then what small requests suffer while long prompts are tokenized that nobody asked before.
    """
    import msgspec
    from rich.console import Console

    from stack.bench.router.placement import OneCoreError
    from stack.bench.router.process import ProcessError
    from stack.bench.tokens.display import notes, table
    from stack.local.home import home_layout
    from stack.local.terminal import terminal
    from stack.wiring.bench_tokens import NoModelError, TokenBenchOptions, run

    options = TokenBenchOptions(
        requests=requests, seconds=seconds, small_per_second=small_rate, long_per_second=long_rate, force=force
    )
    try:
        report = run(home_layout(), options, Console(stderr=True))
    except OneCoreError as error:
        raise click.ClickException(f"{error}: the figures would mean nothing (--force measures all the same)") from error
    except (NoModelError, ProcessError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.encode(report))
        return
    console = terminal()
    console.print(table(report))
    for line in notes(report):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
