"""`kvdeck ctl report`: what a change came to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected
from stack.cli.options import prometheus_config

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.argument("generation", type=click.IntRange(0))
@click.option("--prometheus-url", metavar="URL", help="Ask it where the prompt tokens of both sides came from, tier by tier.")
@prometheus_config
@connected
def command(at: Connection, generation: int, prometheus_url: str | None, prometheus_config: Path | None) -> None:
    """What the change to GENERATION (see kvdeck ctl history) came to: requests before it beside those that it decided.

    TTFT, time between tokens, prompt tokens from a cache, failures: each with how many requests it is of and a 95 %
    interval, or "too few samples". At most ten minutes and 2,000 requests on either side, cut by other changes of
    the model; what comes within ten seconds of the change, or until the pools are as desired, is left out.
    """
    from stack.wiring.ctl import report

    sys.exit(report.one(at, generation, prometheus_url, prometheus_config))
