"""The options by which a sub-command of `kvdeck iec` finds a cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import click


def in_cluster(function: Callable[..., None]) -> Callable[..., None]:
    """Where the API server is, as the argument `where`: a `stack.wiring.iec.sources.ClusterOptions`."""

    @wraps(function)
    def command(kubeconfig: Path | None, namespace: str | None, **rest: object) -> None:
        from stack.wiring.iec.sources import ClusterOptions

        function(where=ClusterOptions(kubeconfig, namespace), **rest)

    options = (
        click.option(
            "--kubeconfig",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Ask by it; else as this pod's service account, else by $KUBECONFIG or ~/.kube/config.",
        ),
        click.option("--namespace", metavar="NAMESPACE", help="Where the endpoint is [default: the context's]."),
    )
    with_options: Callable[..., None] = command
    for option in reversed(options):
        with_options = option(with_options)
    return with_options
