"""What no client may say to an engine, wherever it can hide.

With `kv_transfer_params` a client can make an engine fetch KV from an address of its choice, read another request's
blocks, or die. vLLM 0.32 copies these keys from two places of a body into the request's `extra_args`, which is where
its scheduler and connectors look:

| place | endpoints that read it |
|---|---|
| top level | chat and text completions, responses, messages |
| `vllm_xargs` (becomes `extra_args` itself) | chat and text completions, responses, messages |

The other containers are where neighbouring APIs keep such arguments (`sampling_params` with `extra_args` in vLLM's
token-in-token-out API, `extra_body` in OpenAI's client, which merges it into the body); no endpoint that is routed here reads
them today, and none that will tomorrow gets anything from them.
"""

from __future__ import annotations

from typing import Any

KEYS = ("kv_transfer_params", "ec_transfer_params")
CONTAINERS = ("vllm_xargs", "extra_args", "extra_body", "sampling_params")
NAMES = frozenset({*KEYS, *CONTAINERS})
"""Where none of these is at the top, there is nothing to strip."""

NESTING = frozenset({dict, list})


def strip_transfer_params(fields: dict[str, Any]) -> tuple[str, ...]:
    """Take the keys out of `fields`, in place; what was taken out, as paths."""
    stripped: list[str] = []
    _strip(fields, "", stripped)
    return tuple(stripped)


def _strip(place: dict[str, Any], prefix: str, stripped: list[str]) -> None:
    for key in KEYS:
        if key in place:
            del place[key]
            stripped.append(prefix + key)
    for name in CONTAINERS:
        inner = place.get(name)
        if isinstance(inner, dict):
            _strip(inner, f"{prefix}{name}.", stripped)


def too_deep(value: Any, limit: int) -> bool:
    """Whether containers are nested in more than `limit` levels."""
    level = [value]
    for _ in range(limit):
        level = [inner for outer in level for inner in (outer.values() if type(outer) is dict else outer) if type(inner) in NESTING]
        if not level:
            return False
    return True
