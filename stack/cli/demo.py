"""`kvdeck demo`: one prompt from every tier and over DPD."""

from __future__ import annotations

import click


@click.command()
@click.option("--tokens", type=click.IntRange(600, 2500), default=2000, show_default=True, help="Length of the prompt.")
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
def command(tokens: int, as_json: bool) -> None:
    """Ask one prompt cold, again, after each tier lost it, and over DPD.

    Prints five times to first token (TTFT), each with the metric that proves where the prompt's KV came from. Needs the stack
    of `kvdeck up`; takes about a minute, holds the stack's own traffic meanwhile and leaves the configuration as it was.
    """
    import asyncio

    import msgspec
    from rich.console import Console
    from rich.progress import Progress

    from stack.adapters.supervisor_link import SupervisorUnavailableError
    from stack.api.answers import ControlError
    from stack.demo.error import DemoError
    from stack.demo.show import proofs, table, unproven
    from stack.demo.story import requests
    from stack.model.tier import Source
    from stack.wiring.demo import play
    from stack.wiring.running_stack import StackNotReadyError

    console = Console(stderr=as_json)
    try:
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("Asking", total=requests(tokens))
            played = asyncio.run(
                play(
                    tokens,
                    lambda names: progress.update(task, description=f"Waiting for {names}"),
                    lambda: progress.advance(task),
                    lambda step: progress.update(task, description=step.step),
                )
            )
    except SupervisorUnavailableError:
        raise click.ClickException("the stack does not run here: `kvdeck up` starts it") from None
    except (StackNotReadyError, DemoError, ControlError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.encode(played).decode())
    else:
        console.print(table(played))
        console.print("\nThe proof of each, from the exporter:")
        for line in proofs(played.steps):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
        if not any(step.source is Source.PEER for step in played.steps):
            console.print("No step over DPD: this stack has no prefill engine (`kvdeck up --prefill 1`).")
        console.print(f"\nSee it: {played.urls.get('dashboard', 'no dashboard runs')}", soft_wrap=True, highlight=False)
        console.print("Overview shows the waterfall, Routing every decision.")
    if missing := list(unproven(played.steps)):
        raise click.ClickException("\n  ".join(["not every step is proven by its metric:", *missing]))
