"""`kvdeck iec`: HyperPod's InferenceEndpointConfig; one file a sub-command."""

from __future__ import annotations

import sys

import click

from stack.cli.command_files import CommandFiles


@click.command(cls=CommandFiles, package=sys.modules[__name__], others=frozenset({"cluster"}))
def command() -> None:
    """Read HyperPod's InferenceEndpointConfig as desired state, write one from it, compare one with what runs.

    An endpoint says strategy, DPD's threshold, replicas and what scales them, request limits and cache tiers. What it says that
    kvdeck has no word for, and what HyperPod defaults or does not heed, is told on standard error.

    \b
    kvdeck iec import endpoint.yaml > fleet.yaml     then: kvdeck up --config fleet.yaml
    kvdeck iec export --from fleet.yaml --base endpoint.yaml > changed.yaml
    kvdeck iec diff endpoint.yaml

    \b
    Exit codes: 0 done, 1 something differs (diff), 2 usage, 3 something is unknown (diff --strict),
    4 refused, 6 not to be read.
    """
