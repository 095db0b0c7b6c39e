"""`kvdeck iec diff`: an InferenceEndpointConfig against what runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from stack.cli.ctl.connection import connected_by
from stack.cli.iec.cluster import in_cluster

if TYPE_CHECKING:
    from stack.wiring.ctl.asking import Connection
    from stack.wiring.iec.sources import ClusterOptions


@click.command()
@click.argument("source", metavar="FILE|NAME")
@in_cluster
@click.option("--selector", metavar="LABELS", help="The endpoint's pods, where neither their role nor its status tells them.")
@click.option("--ask-engines", is_flag=True, help="Ask engines for their versions; from where pods can be reached.")
@click.option("--strict", is_flag=True, help="What is unknown fails too.")
@connected_by("--control")
def command(at: Connection, where: ClusterOptions, source: str, selector: str | None, ask_engines: bool, strict: bool) -> None:
    """Compare an InferenceEndpointConfig with what pods, kvdeck's routers and its own status say.

    Each field is equal, differs, or is unknown, with the evidence or what would be needed. HyperPod shows neither strategy nor
    threshold: where kvdeck's router is not in front, and its own router's arguments do not tell, they stay unknown. Pods are
    asked for their readiness and for the variables that their LMCache is told its tiers by; no values of others are looked at.

    \b
    named findings:
    redis_ignored       l2CacheBackend is redis, and the engines have the daemon's address
    variables_stripped  LMCACHE_ variables of the worker that its engines have not
    undocumented_pair   kvaware with a vLLM and an LMCache that nobody says work together
    immutable           what the operator does not take from a deployment that runs

    Exits with 1 when a field differs, with --strict also (3) when one is unknown.
    """
    from stack.wiring.iec.comparing import Looking, run

    sys.exit(run(source, at, where, Looking(selector, ask_engines), strict=strict))
