"""`kvdeck ctl replay`: recorded requests, decided again; asks no control."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--by", default="own", show_default=True, help="Order: own, in_flight, cached_tokens, or a score part such as ttft_s."
)
@click.option("--json", "as_json", is_flag=True)
def command(file: Path, by: str, as_json: bool) -> None:
    """Decide recorded requests again, from a JSON lines file of kvdeck control --decisions-dir and nothing else."""
    from stack.adapters.recorded import NotDecisionsError
    from stack.wiring.replay import run

    try:
        run(file, by, as_json=as_json)
    except (NotDecisionsError, OSError) as error:
        raise click.ClickException(str(error)) from error
