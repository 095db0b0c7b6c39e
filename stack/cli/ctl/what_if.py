"""`kvdeck ctl what-if`: another threshold, tried on what was recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("thresholds", nargs=-1, type=click.IntRange(0), metavar="[THRESHOLD...]")
@click.option("--model", help="The model it is about, when several are.")
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Decisions as JSON lines; asks no control."
)
@click.option(
    "--prefill-engines", type=click.IntRange(1), help="With --file: how many; else as many as were ever candidates there."
)
@click.option(
    "--min-uncached-tokens",
    type=click.IntRange(0),
    help="To try with them, in place of what is in force; with --file: what was in force, 0 unless said.",
)
@connected
def command(
    at: Connection,
    thresholds: tuple[int, ...],
    model: str | None,
    file: Path | None,
    prefill_engines: int | None,
    min_uncached_tokens: int | None,
) -> None:
    """What other values of dpd.routing_threshold would have done with the last requests; without any, a ladder of them.

    For each: how many requests and prompt tokens would have been disaggregated, and what the prefill pool would carry: how busy
    it would be, and how long a prompt would wait there (M/G/c: prompts arrive at random, each engine computes one at
    a time). Where both paths were seen for prompts of like length, their median TTFT. Ends with the command that applies one.
    """
    from stack.adapters.recorded import NotDecisionsError
    from stack.wiring.ctl import what_if

    if file is None:
        sys.exit(what_if.asked(at, thresholds, model, min_uncached_tokens))
    try:
        sys.exit(what_if.of_file(at, file, thresholds, model, prefill_engines, min_uncached_tokens or 0))
    except (NotDecisionsError, what_if.WhichModelError, OSError) as error:
        raise click.ClickException(str(error)) from error
