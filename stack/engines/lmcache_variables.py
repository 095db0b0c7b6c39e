"""The tiers that an LMCache inside an engine is told by its environment.

https://docs.lmcache.ai/api_reference/configurations.html: a variable is the option in capitals after LMCACHE_. Without one
L1 is on, and there is no L2. A file (LMCACHE_CONFIG_FILE) hides what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stack.engines.lmcache_l2 import L2Address, L2FormatError, address

PREFIX = "LMCACHE_"
CONFIG_FILE = "LMCACHE_CONFIG_FILE"
LOCAL_CPU = "LMCACHE_LOCAL_CPU"
REMOTE_URL = "LMCACHE_REMOTE_URL"
READ = frozenset({CONFIG_FILE, LOCAL_CPU, REMOTE_URL})
"""The variables whose values are looked at; of others, which may hold secrets, only that they are there."""

_MULTI_PROCESS = "LMCacheMPConnector"
_TRUE = frozenset({"true", "1", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Told:
    """L1 is on or off, and what the L2s are, () for none; None is not known, for the reason `unknown`."""

    l1: bool | None
    l2: tuple[L2Address, ...] | None
    unknown: str = ""


def told(variables: Mapping[str, str | None], connectors: Sequence[Mapping[str, object]]) -> Told:
    """By the variables of a container's spec, None being one whose value is elsewhere, and its KV connectors."""
    if any(config.get("kv_connector") == _MULTI_PROCESS for config in connectors):
        return Told(None, None, "its LMCache is a server of its own, which is asked by `kvdeck doctor --lmcache URL`")
    if CONFIG_FILE in variables:
        return Told(None, None, f"LMCache reads a file ({CONFIG_FILE}), whose content is not in the pod's spec")
    if not any(name.startswith(PREFIX) for name in variables):
        return Told(None, None, f"the pod's spec has no {PREFIX} variable; its image may have")
    if any(name in variables and variables[name] is None for name in (LOCAL_CPU, REMOTE_URL)):
        return Told(None, None, "the value of a variable comes from elsewhere, such as a ConfigMap")
    local, remote = variables.get(LOCAL_CPU), variables.get(REMOTE_URL)
    l1 = local is None or local.lower() in _TRUE
    try:
        return Told(l1, (address(remote),) if remote else ())
    except L2FormatError:
        return Told(l1, None, f"{REMOTE_URL} is no URL of a host")
