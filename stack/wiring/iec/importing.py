"""`kvdeck iec import`: an InferenceEndpointConfig as a configuration file of kvdeck's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import yaml

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.control.refusal import RefusedError
from stack.control.state import ModelState
from stack.kube.hyperpod.imported import imported
from stack.kube.hyperpod.reading import ResourceError
from stack.strategies.base import names
from stack.wiring.iec.printing import Exit, fail, print_json, print_notes
from stack.wiring.iec.sources import ClusterOptions, SourceError, from_cluster, from_file

# What an InferenceEndpointConfig speaks of is written out, though it be kvdeck's default as well.
_SPOKEN_OF = ("strategy", "dpd", "pools")


def run(
    file: str | None, cluster: str | None, options: ClusterOptions, *, name: str | None, model: str | None, as_json: bool
) -> Exit:
    """Print the configuration, and all there is to say on standard error."""
    try:
        document = from_file(file or "-", name) if cluster is None else from_cluster(options, cluster)
        found = imported(document, names(), model)
    except SourceError as error:
        return fail(str(error), Exit.UNREADABLE)
    except (ResourceError, RefusedError) as error:
        return fail(str(error), Exit.REFUSED)
    config = {"desired": {"models": {name: written(state) for name, state in found.desired.models.items()}}}
    if as_json:
        print_json({**config, "notes": msgspec.to_builtins(found.notes)})
        return Exit.DONE
    sys.stdout.write(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
    print_notes(found.notes)
    return Exit.DONE


def written(state: ModelState) -> Mapping[str, Any]:
    """The state as a person would write it: without what is default and an InferenceEndpointConfig does not speak of."""
    whole, default = msgspec.to_builtins(state), msgspec.to_builtins(ModelState())
    document = {name: value for name, value in whole.items() if name in _SPOKEN_OF or value != default[name]}
    document["dpd"] = {name: document["dpd"][name] for name in ("enabled", "routing_threshold")}
    document["pools"] = {name: _pool(pool) for name, pool in document["pools"].items()}
    return document


def _pool(pool: Mapping[str, Any]) -> Mapping[str, Any]:
    default = msgspec.to_builtins(ModelState().pools.decode)
    return {name: value for name, value in pool.items() if name == "replicas" or value != default[name]}
