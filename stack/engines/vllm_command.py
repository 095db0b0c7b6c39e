"""vLLM's command line, as far as it tells what an engine is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

TRANSFER_OPTION = "--kv-transfer-config"
SERVED_NAME_OPTION = "--served-model-name"
# Arguments by which vLLM's API server is known, and an emulated engine is not.
_VLLM = ("vllm",)


def is_vllm(arguments: Iterable[str]) -> bool:
    """Whether a command line starts vLLM's server."""
    return any(argument.startswith(_VLLM) or "/vllm" in argument for argument in arguments)


def option(arguments: Sequence[str], name: str) -> str | None:
    """The value of `--name VALUE` or `--name=VALUE`, None without it: the last one holds, and underscores stand for hyphens."""
    found: str | None = None
    for place, argument in enumerate(arguments):
        given, assigned, value = argument.partition("=")
        if given.startswith("--") and given.replace("_", "-") == name:
            found = value if assigned else next(iter(arguments[place + 1 : place + 2]), found)
    return found


def connectors(arguments: Sequence[str]) -> list[Mapping[str, object]]:
    """The KV transfer configuration and those nested in it, outermost first; empty where there is none to read."""
    try:
        return list(_nested(json.loads(option(arguments, TRANSFER_OPTION) or "null")))
    except ValueError:
        return []


def _nested(config: object) -> Iterator[Mapping[str, object]]:
    if not isinstance(config, dict):
        return
    yield config
    extra = config.get("kv_connector_extra_config")
    for inner in (extra.get("connectors") or []) if isinstance(extra, dict) else []:
        yield from _nested(inner)
