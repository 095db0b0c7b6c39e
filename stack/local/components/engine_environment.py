"""The environment of what runs in the engines' own Python environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from stack.local.install.plan import EngineInstallation
from stack.local.launch import Launch

# Nothing is fetched, nothing is told to anybody.
QUIET: Mapping[str, str] = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "LMCACHE_TRACK_USAGE": "false",
    "LMCACHE_DISABLE_BANNER": "1",
    # Block hashes and LMCache's keys depend on it: the same in every process, in every run.
    "PYTHONHASHSEED": "0",
}


class NoEnginesError(ValueError):
    """A start of the stack that asks for real engines without an installation of them."""


def engine_installation(launch: Launch) -> EngineInstallation:
    """Where real engines are installed. Raises NoEnginesError."""
    if launch.installed.engine is None:
        raise NoEnginesError("real engines are wanted and not installed: kvdeck up installs them")
    return launch.installed.engine


def engine_environment(installation: EngineInstallation, cache: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """For vLLM and LMCache alike; what they cache goes to `cache`."""
    found = dict(QUIET) | {"VLLM_CACHE_ROOT": str(cache / "vllm"), "XDG_CACHE_HOME": str(cache)}
    if installation.library_path is not None:
        paths = [str(installation.library_path), *filter(None, [inherited.get("LD_LIBRARY_PATH")])]
        found["LD_LIBRARY_PATH"] = os.pathsep.join(paths)
    return found
