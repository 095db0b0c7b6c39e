"""`kvdeck iec export`: desired state as an InferenceEndpointConfig."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected_by

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection


@click.command()
@click.option(
    "--from", "source", default="state", show_default=True, metavar="state|FILE", help="Control, or a YAML with 'desired:'."
)
@click.option("--base", metavar="FILE", help="An InferenceEndpointConfig, of which all stays that desired state does not say.")
@click.option("--model", help="Which one, when several are served.")
@click.option(
    "--lenient",
    is_flag=True,
    help="Write what can be said, and tell what is lost; without it that is refused, as is what --base has beyond the CRD.",
)
@connected_by("--control")
def command(at: Connection, source: str, base: str | None, model: str | None, lenient: bool) -> None:
    """Print one model's desired state as an InferenceEndpointConfig that the operator's CRD takes.

    Without --base what desired state does not say (weights, image, GPUs) is a placeholder, told on standard error. What is
    written is read back: where that would not be the same desired state, it is refused, each field with its reason.

    \b
    kvdeck iec export --from fleet.yaml --base endpoint.yaml > changed.yaml
    kubectl diff -f changed.yaml
    """
    from stack.wiring.iec import exporting

    if source == "state":
        sys.exit(exporting.of_control(at, base, model=model, lenient=lenient))
    sys.exit(exporting.of_file(Path(source), base, model=model, lenient=lenient, as_json=at.json))
