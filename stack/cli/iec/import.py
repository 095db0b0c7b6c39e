"""`kvdeck iec import`: an InferenceEndpointConfig as desired state."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.iec.cluster import in_cluster

if TYPE_CHECKING:
    from stack.wiring.iec.sources import ClusterOptions


@click.command()
@click.argument("file", required=False, metavar="FILE|-")
@click.option("--cluster", metavar="NAME", help="Read the endpoint of that name from a cluster instead of a file.")
@click.option("--name", metavar="NAME", help="Which one, of a file that has several.")
@click.option("--model", metavar="MODEL", help="What clients call the model [default: --served-model-name, else modelName].")
@in_cluster
@click.option("--json", "as_json", is_flag=True, help='{"desired":…,"notes":[{"kind","field","text"}]}')
def command(
    where: ClusterOptions, file: str | None, cluster: str | None, name: str | None, model: str | None, as_json: bool
) -> None:
    """Print an InferenceEndpointConfig as the YAML that `--config` of up, control and router takes.

    HyperPod's spellings become kvdeck's. What has no counterpart, what HyperPod defaults or does not heed, and what means
    something else here is told on standard error, a line each; nothing is dropped without one.

    \b
    kvdeck iec import endpoint.yaml > fleet.yaml
    kubectl get inferenceendpointconfig llama -o yaml | kvdeck iec import -
    kvdeck iec import --cluster llama --namespace inference
    """
    if (file is None) == (cluster is None):
        raise click.UsageError("give FILE (- is standard input), or --cluster NAME")
    from stack.wiring.iec import importing

    sys.exit(importing.run(file, cluster, where, name=name, model=model, as_json=as_json))
