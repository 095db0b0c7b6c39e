"""`kvdeck supervise`: what `kvdeck up` leaves running."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(hidden=True)
@click.option("--launch", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True, help="Written by kvdeck up.")
def command(launch: Path) -> None:
    """Start, watch and stop the processes of the one-machine stack. Started by kvdeck up, not by hand."""
    import msgspec

    from stack.local.supervisor_lock import AlreadyRunningError
    from stack.wiring.supervisor import run

    try:
        run(launch)
    except (AlreadyRunningError, OSError, msgspec.DecodeError) as error:
        raise click.ClickException(str(error)) from error
